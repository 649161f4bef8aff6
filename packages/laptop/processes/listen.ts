import type { Server } from 'node:net'
import { PlainError } from './plain-error.ts'

/** Starts a server; rejects with a sentence for people when the port is taken or may not be used. */
export function listen(server: Server, where: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(explainListenError(error, where))
    server.once('error', fail)
    server.listen(where, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

/** Returns `host:port` of a server that listens. */
export function addressOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return `${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** Returns the failure to listen in a sentence for people. */
export function explainListenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return new PlainError(`port ${port} on ${host} is in use: stop what uses it or choose another`)
  }
  if (code === 'EACCES') return new PlainError(`port ${port} may not be used without special rights: choose another`)
  return new PlainError(`cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`)
}
