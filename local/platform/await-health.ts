import { setTimeout as delay } from 'node:timers/promises'
import { PlainError } from '@callplane/laptop'
import { readEngines, refuseMisconfigured } from './read-engines.ts'

/** Long enough for a slow machine; a healthy platform takes about a second. */
const patienceMs = 30_000
const pauseMs = 25

/**
 * Waits until the platform is healthy, or until it only lacks an engine: that is an outage, which ends when the engine
 * comes, and no reason to exit. The connector's own address is asked first, so that the reports of an earlier run do
 * not count. Throws a plain sentence when an engine refuses this platform, and one that names where to look when the
 * platform does not become healthy.
 */
export async function awaitHealth(
  { connector, api }: { readonly connector: string; readonly api: string },
  logFolder: string,
  signal: AbortSignal,
): Promise<void> {
  const givenUpAt = Date.now() + patienceMs
  for (;;) {
    const engines = await readEngines(connector)
    refuseMisconfigured(engines ?? [])
    if (engines?.some(({ online, problem }) => !online && problem !== undefined)) return
    const state = engines?.every(({ online }) => online) ? await ask(api) : 'the connector is not ready'
    if (state === 200) return
    if (Date.now() >= givenUpAt) {
      const seconds = patienceMs / 1000
      throw new PlainError(
        `${api} was not answered with 200 within ${seconds} s (${state}): see the logs in ${logFolder}`,
      )
    }
    await delay(pauseMs, undefined, { signal })
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
