import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { listen } from './listen.ts'

/** Below the ports that a system gives to outgoing connections, and below those of an engine's media. */
const [FIRST, END] = [10_000, 16_000]
const ATTEMPTS = 100

/**
 * Returns a TCP port of 127.0.0.1 that was free a moment ago, for a program that cannot choose one itself. No outgoing
 * connection takes it meanwhile, since the system gives those ports from a range of their own.
 */
export async function freePort(attempt = 1): Promise<number> {
  const port = randomInt(FIRST, END)
  const server = createServer()
  try {
    await listen(server, { host: '127.0.0.1', port })
  } catch (error) {
    if (attempt === ATTEMPTS) throw error
    return freePort(attempt + 1)
  }
  await new Promise((resolve) => server.close(resolve))
  return port
}
