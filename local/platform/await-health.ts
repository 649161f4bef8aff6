import { setTimeout as delay } from 'node:timers/promises'
import { PlainError } from '../processes/plain-error.ts'

/** Long enough for a slow machine; a healthy platform takes about a second. */
const patienceMs = 30_000
const pauseMs = 25

/**
 * Waits until every address answers 200: the connector's own, so that what an earlier run reported is not taken for
 * this one's, and the API's. Throws a plain sentence that names where to look when one never does.
 */
export async function awaitHealth(urls: readonly string[], logFolder: string, signal: AbortSignal): Promise<void> {
  const givenUpAt = Date.now() + patienceMs
  for (const url of urls) {
    for (let state = await ask(url); state !== 200; state = await ask(url)) {
      if (Date.now() >= givenUpAt) {
        const seconds = patienceMs / 1000
        throw new PlainError(
          `${url} was not answered with 200 within ${seconds} s (${state}): see the logs in ${logFolder}`,
        )
      }
      await delay(pauseMs, undefined, { signal })
    }
  }
}

async function ask(url: string): Promise<number | 'no answer'> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
    await response.body?.cancel()
    return response.status
  } catch {
    return 'no answer'
  }
}
