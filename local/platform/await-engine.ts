import { setTimeout as delay } from 'node:timers/promises'
import { type EngineAddress, engineName } from '../../connector/engine.ts'
import { EslConnection } from '../../connector/esl/connection.ts'
import type { EslConnectionLost, EslDownReason } from '../../connector/esl/errors.ts'
import { defaultEslLimits } from '../../connector/esl/limits.ts'
import { systemEslTimers } from '../../connector/esl/timers.ts'
import { PlainError } from '../processes/plain-error.ts'

/** An engine that starts beside the platform gets this long to let the connector in. */
const patienceMs = 10_000
const pauseMs = 250

/**
 * Waits until the engine's event socket lets a client in. Throws a plain sentence at once when it refuses the password
 * or this machine's address, and when it has not answered in 10 s.
 */
export async function awaitEngine(
  engine: EngineAddress,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const where = engineName(engine)
  const givenUpAt = Date.now() + patienceMs
  for (let tries = 1; ; tries += 1) {
    const lost = await tryLogin(engine)
    if (lost === undefined) return
    const refused = refusals.get(lost.reason)
    if (refused !== undefined) throw new PlainError(`the engine at ${where} ${refused}`)
    if (Date.now() >= givenUpAt) {
      throw new PlainError(
        `no engine answers at ${where} (${lost.message}): start it, or unset ENGINE_URL to use the simulated one`,
      )
    }
    if (tries === 1) progress(`waiting for the engine at ${where}`)
    await delay(pauseMs, undefined, { signal })
  }
}

/** What no waiting changes. */
const refusals: ReadonlyMap<EslDownReason, string> = new Map([
  ['auth-refused', 'refuses the password of ENGINE_URL'],
  ['access-rejected', 'does not let this machine in: see apply-inbound-acl in its event_socket.conf.xml'],
  ['not-an-engine', 'does not speak as an event socket does: is the port right?'],
])

/** Logs in and leaves again; answers why that failed, if it did. */
function tryLogin({ host, port, password }: EngineAddress): Promise<EslConnectionLost | undefined> {
  return new Promise((resolve) => {
    const tally = { heardAt: 0, bytes: 0, events: 0, unreadableEvents: 0, lateReplies: 0, strayReplies: 0 }
    const connection = new EslConnection({
      host,
      port,
      password,
      timers: systemEslTimers,
      limits: defaultEslLimits,
      tally,
      onReady() {
        resolve(undefined)
        void connection.close()
      },
      onEvent() {},
      onUnreadable() {},
      onEnd: resolve,
    })
  })
}
