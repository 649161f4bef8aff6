import { connect } from 'node:net'

/** A reader that does the least that still parses every event: no checks, no limits, no replies, no errors. */
export function openBareReader(port: number, take: (headers: Readonly<Record<string, unknown>>) => void): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const hello = [`auth ClueCon\n\n`, `event json ALL\n\n`]
  let held = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
    let at = 0
    for (;;) {
      const headEnd = bytes.indexOf('\n\n', at, 'latin1')
      if (headEnd < 0) break
      const length = lengthIn(bytes, at, headEnd)
      const from = headEnd + 2
      if (from + length > bytes.length) break
      if (length > 0) take(JSON.parse(bytes.toString('utf8', from, from + length)))
      else socket.write(hello.shift() ?? '')
      at = from + length
    }
    held = Buffer.from(bytes.subarray(at))
  })
}

function lengthIn(bytes: Buffer, from: number, to: number): number {
  const at = bytes.indexOf('Content-Length: ', from, 'latin1')
  return at < 0 || at > to ? 0 : Number.parseInt(bytes.toString('latin1', at + 16, to), 10)
}
