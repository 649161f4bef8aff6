import type { Ports } from '../../../contracts/ports.ts'
import { PresenceTracker } from '../../../connector/events/presence.ts'
import type { Clock } from '../../../core/time.ts'

/** Makes a tracker to which every stored leg that is up counts. */
export function aPresenceTracker(
  { presence, knownCalls }: Pick<Ports, 'presence' | 'knownCalls'>,
  clock: Clock,
  random = () => 0,
): PresenceTracker {
  const callsOf = async (domain: string) => (await knownCalls.listOf(domain)).filter(({ state }) => state === 'up')
  return new PresenceTracker({ store: presence, callsOf, clock, random })
}
