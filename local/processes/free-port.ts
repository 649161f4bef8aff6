import { createServer } from 'node:net'
import { listen } from './listen.ts'

/** Returns a port of 127.0.0.1 that was free a moment ago, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server, { host: '127.0.0.1', port: 0 })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address.port
}
