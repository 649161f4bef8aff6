import { createHash } from 'node:crypto'
import { serviceEvent } from '../../core/events/service-event.ts'
import type { Clock } from '../../core/time.ts'
import type { Engine } from '../runtime/engine.ts'
import type { EventBuffer } from '../buffer/event-buffer.ts'
import type { Subscriptions } from './subscriptions.ts'

const minuteMs = 60_000

/** A change of an engine's event link. */
export type EngineChange = 'engine_connected' | 'engine_disconnected'

type ChangedEngine = Pick<Engine, 'coreUuid' | 'name'>

/** Publishes to every domain with a hook for it that an engine's event link came up or was lost. */
export interface EngineChanges {
  /** Publishes a change, or keeps the newest of each engine until it is known what hooks want. */
  add(kind: EngineChange, engine: ChangedEngine): void
  /** Publishes the changes that were kept. Call it once it is known what hooks want. */
  publishWaiting(): void
}

/**
 * Makes a publisher of engines that come and go. The id of its event is derived from the engine's core, the kind, the
 * minute and how often that kind occurred in it. So connectors that lose the engine together publish one event, and the
 * last change of a link that comes and goes is always published.
 */
export function engineChanges({
  subscriptions,
  buffer,
  clock,
}: {
  readonly subscriptions: Subscriptions
  readonly buffer: Pick<EventBuffer, 'tell'>
  readonly clock: Clock
}): EngineChanges {
  const published = new Map<string, { minute: number; times: Record<EngineChange, number> }>()

  const publish = (kind: EngineChange, engine: ChangedEngine) => {
    const now = clock.now()
    const minute = Math.floor(now / minuteMs)
    const before = published.get(engine.name)
    const times = before?.minute === minute ? before.times : { engine_connected: 0, engine_disconnected: 0 }
    times[kind] += 1
    published.set(engine.name, { minute, times })
    for (const domain of subscriptions.domainsWanting(`CUSTOM->svc::${kind}`)) {
      const cause = [engine.coreUuid || engine.name, kind, domain, `${minute}`, `${times[kind]}`]
      const digest = createHash('sha256').update(JSON.stringify(cause)).digest('hex')
      buffer.tell(
        serviceEvent({
          kind,
          id: `${kind}:${digest.slice(0, 32)}`,
          domain,
          occurredAt: now,
          fields: engine.coreUuid === '' ? {} : { 'Core-UUID': engine.coreUuid },
        }),
      )
    }
  }
  const waiting = new Map<string, () => void>()
  return {
    add: (kind, engine) => {
      if (subscriptions.isKnown) publish(kind, engine)
      else waiting.set(engine.name, () => publish(kind, engine))
    },
    publishWaiting: () => {
      for (const publishOne of waiting.values()) publishOne()
      waiting.clear()
    },
  }
}
