import { createHash } from 'node:crypto'
import { serviceEvent } from '../../core/events/service-event.ts'
import type { Clock } from '../../core/ports.ts'
import type { Engine } from '../engine.ts'
import type { EventOutbox } from './event-outbox.ts'
import type { Subscriptions } from './subscriptions.ts'

const minuteMs = 60_000

/**
 * Tells every domain with a hook for it that the engine's event link came up or was lost. The id is derived from the
 * engine's core, the kind and the minute: connectors that lose the engine together tell it once, and a link that
 * comes and goes within a minute is told once.
 */
export function tellEngineState(
  parts: { readonly subscriptions: Subscriptions; readonly outbox: EventOutbox; readonly clock: Clock },
  kind: 'engine_connected' | 'engine_disconnected',
  engine: Pick<Engine, 'coreUuid' | 'name'>,
): void {
  const now = parts.clock.now()
  for (const domain of parts.subscriptions.domainsWanting(`CUSTOM->svc::${kind}`)) {
    const cause = [engine.coreUuid || engine.name, kind, domain, `${Math.floor(now / minuteMs)}`]
    const digest = createHash('sha256').update(JSON.stringify(cause)).digest('hex')
    parts.outbox.add(
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
