import type { EngineCommand } from './commands.ts'
import type { CallEngine } from './call-engine.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { PlatformEvent } from '../events/platform-event.ts'

/** Reports what could not be passed on after a change was made. */
export type ReportUnsent = (what: string, error: unknown) => void

interface MadeChange {
  readonly domain: string
  readonly requestId?: string | undefined
  readonly reportUnsent: ReportUnsent
}

/**
 * Queues orders to the engine about a completed change, in their order: a phone that is dropped before its account is
 * forgotten could register again. The change stays, so an order that cannot be queued is reported and does not fail the
 * request. An engine that keeps directory answers then has the old one until its next flush. Returns whether all orders
 * were queued.
 */
export async function notifyEngine(
  engine: Pick<CallEngine, 'send'>,
  commands: readonly EngineCommand[],
  { domain, requestId, reportUnsent }: MadeChange,
): Promise<boolean> {
  let isQueued = true
  for (const command of commands) {
    try {
      await engine.send(command, { domain, presenceId: null, requestId })
    } catch (error) {
      isQueued = false
      reportUnsent(`command ${command.kind}`, error)
    }
  }
  return isQueued
}

/** Queues the event of a completed change; a failure is reported and does not fail the request. */
export async function publishEvent(
  events: Pick<EventSink, 'publish'>,
  event: PlatformEvent,
  reportUnsent: ReportUnsent,
): Promise<boolean> {
  try {
    const refused = await events.publish([event])
    if (refused.length === 0) return true
    reportUnsent(`event ${event.name}`, undefined)
  } catch (error) {
    reportUnsent(`event ${event.name}`, error)
  }
  return false
}
