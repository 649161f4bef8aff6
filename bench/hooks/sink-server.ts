/**
 * A receiver of hooks as a process of its own: it answers a request to `/<milliseconds>` with an empty 200 after so
 * long, and reads no more of it than its length. Sends its port to its parent.
 */
import { type Socket, createServer } from 'node:net'

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

/** One request at a time comes over a connection of the hook client: it does not pipeline. */
function serve(socket: Socket): void {
  let head = ''
  let missing = -1
  const end = () => {
    const ms = Number(/^POST \/(\d+)/.exec(head)?.[1] ?? 0)
    head = ''
    missing = -1
    if (ms === 0) socket.write(answer)
    else setTimeout(() => socket.write(answer), ms)
  }
  // A client that hangs up has seen enough.
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    if (missing >= 0) missing -= chunk.length
    else {
      head += chunk.toString('latin1')
      const headEnd = head.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      missing = length - (head.length - headEnd - 4)
    }
    if (missing <= 0) end()
  })
}

const server = createServer(serve)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) process.send?.({ port: address.port })
})
