import { setTimeout as delay } from 'node:timers/promises'
import { PlainError } from '../processes/plain-error.ts'

/** Long enough for a slow machine; a healthy platform takes about a second. */
const patienceMs = 30_000
const pauseMs = 25

/** Waits until `GET /health` answers 200. Throws a plain sentence that names where to look when it never does. */
export async function awaitHealth(baseUrl: string, logFolder: string, signal: AbortSignal): Promise<void> {
  const givenUpAt = Date.now() + patienceMs
  let last = ''
  while (Date.now() < givenUpAt) {
    const response = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
    last = response === undefined ? 'no answer' : `status ${response.status}`
    await response?.body?.cancel()
    if (response?.status === 200) return
    await delay(pauseMs, undefined, { signal })
  }
  throw new PlainError(
    `GET /health was not answered with 200 within ${patienceMs / 1000} s (${last}): see the logs in ${logFolder}`,
  )
}
