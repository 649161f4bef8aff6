import type { ChannelRegistry } from '../calls/channel-registry.ts'
import { isHealthy } from '../runtime/engine.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { CommandEngine } from './command-dispatch.ts'
import { contactLines } from './command-line.ts'
import type { PhoneAsk, PhoneAsks } from './phone-asks.ts'

/** How long engines are asked where a phone is registered: their links carry one command at a time. */
const askMs = 1_000

export interface ChoiceDeps extends Time {
  readonly engines: readonly CommandEngine[]
  readonly registry: Pick<ChannelRegistry, 'proven'>
  readonly asks: PhoneAsks
}

/**
 * Returns the engine that rings an account's phone: of those with both links up the one where the phone is registered,
 * as the engines themselves tell it; else one that answers at all; of several the one with the fewest channels, and of
 * those the first. Where there is but one engine, it is not asked. Absent when none is up. Throws `ValueRefused` for a
 * login or a domain that cannot be one.
 */
export async function chooseEngine(
  parts: ChoiceDeps,
  phone: { readonly domain: string | null; readonly login: string },
): Promise<CommandEngine | undefined> {
  const healthy = parts.engines.filter(({ engine }) => isHealthy(engine))
  if (healthy.length <= 1) return healthy[0]
  const lines = contactLines(phone.login, phone.domain)
  const answers = await askAll(
    healthy,
    lines.map((line) => ({ domain: phone.domain, line })),
    parts,
  )
  const said = (answer: boolean) => healthy.filter((one) => answers.get(one) === answer && isHealthy(one.engine))
  const best = [said(true), said(false), healthy].find((engines) => engines.length > 0) ?? []
  return leastBusy(best, parts.registry)
}

async function askAll(
  engines: readonly CommandEngine[],
  questions: readonly PhoneAsk[],
  { asks, clock, timers }: Pick<ChoiceDeps, 'asks' | 'clock' | 'timers'>,
): Promise<ReadonlyMap<CommandEngine, boolean>> {
  const answers = new Map<CommandEngine, boolean>()
  const over = new AbortController()
  const deadlineAt = clock.now() + askMs
  const asked = engines.map(async (one) => {
    try {
      let has = false
      for (const question of questions) has ||= await asks.has(one, question, deadlineAt)
      answers.set(one, has)
    } catch {
      // An engine that gives no answer comes after those that do.
    }
  })
  await Promise.race([Promise.all(asked), pause(timers, askMs, over.signal)])
  over.abort()
  return new Map(answers)
}

/** Calls that were placed a moment ago count as well: their channels are reported later. */
function leastBusy(
  engines: readonly CommandEngine[],
  registry: Pick<ChannelRegistry, 'proven'>,
): CommandEngine | undefined {
  const loadOf = ({ engine, jobs }: CommandEngine) => registry.proven(engine.name).length + jobs.size
  const counted = engines.map((engine) => ({ engine, load: loadOf(engine) }))
  return counted.sort((a, b) => a.load - b.load)[0]?.engine
}
