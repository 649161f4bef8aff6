import { connect } from 'node:net'

/** Takes the body of an event, by its offsets. */
export type TakeBody = (bytes: Buffer, from: number, to: number) => void

/** A reader that does the least that still finds every event: no checks, no limits, no replies, no errors. */
export function openLazyScan(port: number, format: string, take: TakeBody): () => void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const hello = [`auth ClueCon\n\n`, `event ${format} ALL\n\n`]
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
      if (length > 0) take(bytes, from, from + length)
      else socket.write(hello.shift() ?? '')
      at = from + length
    }
    held = Buffer.from(bytes.subarray(at))
  })
  return () => void socket.destroy()
}

/** The values of headers of a plain event, by searches of its text. */
export function scanPlain(bytes: Buffer, from: number, to: number, names: readonly string[]): (string | undefined)[] {
  const text = bytes.toString('latin1', from, to)
  return names.map((name) => {
    const at = text.indexOf(`\n${name}: `)
    const start = at + name.length + 3
    const value = at < 0 ? undefined : text.slice(start, text.indexOf('\n', start))
    return value?.includes('%') === true ? decodeURIComponent(value) : value
  })
}

/** The values of headers of a JSON event, by parsing all of it. */
export function parseJson(bytes: Buffer, from: number, to: number, names: readonly string[]): unknown[] {
  const headers: Readonly<Record<string, unknown>> = JSON.parse(bytes.toString('utf8', from, to))
  return names.map((name) => headers[name])
}

function lengthIn(bytes: Buffer, from: number, to: number): number {
  const at = bytes.indexOf('Content-Length: ', from, 'latin1')
  return at < 0 || at > to ? 0 : Number.parseInt(bytes.toString('latin1', at + 16, to), 10)
}
