import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { PlainError } from '../processes/plain-error.ts'
import type { EngineAddress } from '../settings.ts'

/** An engine that starts beside the platform gets this long to listen. */
const patienceMs = 10_000
const pauseMs = 250

/** Waits until the engine's event socket accepts connections. Throws a plain sentence when it does not in 10 s. */
export async function awaitEngine(
  { host, port }: EngineAddress,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const givenUpAt = Date.now() + patienceMs
  let told = false
  for (;;) {
    const failure = await tryConnect(host, port)
    if (failure === undefined) return
    if (Date.now() >= givenUpAt) {
      throw new PlainError(
        `no engine answers at ${host}:${port} (${failure}): start it, or unset ENGINE_URL to use the simulated one`,
      )
    }
    if (!told) progress(`waiting for the engine at ${host}:${port}`)
    told = true
    await delay(pauseMs, undefined, { signal })
  }
}

function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 })
    const settle = (failure?: string): void => {
      socket.destroy()
      resolve(failure)
    }
    socket.once('connect', () => settle())
    socket.once('timeout', () => settle('timeout'))
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
  })
}
