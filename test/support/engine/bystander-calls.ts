/** A call of each of two tenants that gets no command: its events have to arrive whatever happens to commands. */
import { randomUUID } from 'node:crypto'
import type { MemoryPorts } from '../memory/memory-ports.ts'
import type { Clock } from '../../../core/time.ts'
import type { PlacingEngine } from './placing-engine.ts'
import type { EventFact } from '../invariants/invariants.ts'
import { aHook } from '../records/records.ts'
import { ofCaller } from './leg-fields.ts'

const life = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'] as const

/** Calls that are up at an engine, and its events of them. */
export interface BystanderCalls {
  /** The uuid of each tenant's call, by its domain. */
  readonly uuids: ReadonlyMap<string, string>
  /** The engine reports that they have begun; returns whether a client listened. */
  begin(): boolean
  /** The engine reports that they were answered, unless it has, or has not reported yet that they began. */
  answer(): void
  /** They end, and the engine reports it. */
  end(): void
  /** Every event that was sent, the ids under which it was published, and when it was sent. */
  events(): readonly (EventFact & { readonly at: number })[]
}

/** Puts a call of each domain on an engine, and a hook of the domain on each event of its life. */
export async function bystanderCalls(parts: {
  readonly engine: PlacingEngine
  readonly ports: Pick<MemoryPorts, 'events' | 'hooks'>
  readonly clock: Clock
  readonly domains: readonly string[]
}): Promise<BystanderCalls> {
  const { engine, ports, clock, domains } = parts
  const uuids = new Map(domains.map((domain) => [domain, randomUUID()]))
  const sent: { readonly uuid: string; readonly name: string; readonly at: number }[] = []
  for (const [domain, uuid] of uuids) {
    engine.channels.set(uuid, { domain, presenceId: `1001@${domain}`, isHeld: false })
    await ports.hooks.create(
      life.map((event) => aHook({ event, domain })),
      100,
    )
  }

  const createdAt = clock.now()
  const tell = (name: (typeof life)[number]): number => {
    const at = clock.now()
    const heard = [...uuids].map(([domain, uuid]) => {
      sent.push({ uuid, name, at })
      return engine.emit({
        'Event-Name': name,
        'Unique-ID': uuid,
        'Caller-Context': domain,
        ...ofCaller(`1001@${domain}`),
        'Channel-Call-State': name === 'CHANNEL_CREATE' ? 'RINGING' : 'ACTIVE',
        'Caller-Channel-Created-Time': `${createdAt}000`,
        'Event-Date-Timestamp': `${at}000`,
      })
    })
    return Math.min(...heard)
  }
  const hasSent = (name: string) => sent.some((event) => event.name === name)

  return {
    uuids,
    begin: () => tell('CHANNEL_CREATE') > 0,
    answer: () => {
      if (hasSent('CHANNEL_CREATE') && !hasSent('CHANNEL_ANSWER')) tell('CHANNEL_ANSWER')
    },
    end: () => {
      for (const uuid of uuids.values()) engine.channels.delete(uuid)
      for (const name of life.slice(2)) tell(name)
    },
    events: () =>
      sent.map(({ uuid, name, at }) => {
        const copies = ports.events.published.filter((event) => event.uuid === uuid && event.name === name)
        return { id: `${engine.coreUuid}:${uuid}:${name}`, publishedAs: copies.map(({ id }) => id), at }
      }),
  }
}
