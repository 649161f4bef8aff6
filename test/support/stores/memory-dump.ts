/** Everything that a platform in memory holds and has sent, as text that can be compared. */
import type { Api } from '../platform/api.ts'

/** The traces of a request that is refused: which user was active and from where, and a line of the trail. */
const traces: ReadonlySet<string> = new Set(['sessions', 'networks', 'highestSessions', 'audit'])

/** A value with all its maps as JSON. */
export const asText = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? [...member] : member))

/**
 * All stores but the traces of activity, and all that left for the engine, the hooks, mail servers and the background.
 */
export function dumpOf({ ports }: Api, without: readonly string[] = []): string {
  const stores = Object.entries(ports.state).filter(([store]) => !traces.has(store) && !without.includes(store))
  const { engine, events, mail, cleanups, cdrQueue, exportQueue } = ports
  return asText([
    stores,
    engine.given,
    events.published,
    mail.sent,
    cleanups.queued,
    cdrQueue.queued,
    exportQueue.queued,
  ])
}

/**
 * Everything stored that belongs to a tenant, sorted: an entry with a domain by that, any other by its key.
 * Records of another tenant about this one belong to the other.
 */
export function ownedBy({ ports }: Api, domain: string): string[] {
  return Object.entries(ports.state)
    .flatMap(([store, kept]) => {
      const entries: [string, unknown][] = kept instanceof Map ? [...kept] : [kept].flat().map((each) => ['', each])
      return entries.filter((entry) => isOf(entry, domain)).map((entry) => `${store} ${asText(entry)}`)
    })
    .sort()
}

function isOf([key, value]: [string, unknown], domain: string): boolean {
  if (typeof value === 'object' && value !== null && 'domain' in value) return value.domain === domain
  return key.split(/[^\w.-]+/).includes(domain)
}

/** All that was logged and all of the trail: where no secret may ever stand. */
export function tracesOf({ ports, log }: Api): string {
  return asText([log.lines, ports.state.audit])
}
