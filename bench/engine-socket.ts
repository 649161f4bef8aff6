import { once } from 'node:events'
import { type Socket, connect } from 'node:net'

/** Opens an event socket at the simulated engine and logs in. What the engine sends is not read. */
export async function openEngine(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('auth ClueCon\n\n')
  await once(socket, 'data')
  socket.resume()
  return socket
}
