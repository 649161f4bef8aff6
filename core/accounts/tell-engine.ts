import type { EngineCommand } from '../commands.ts'
import type { CallEngine } from '../channels/call-engine.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { PlatformEvent } from '../events/platform-event.ts'
import type { ChangeContext } from './account-context.ts'

/**
 * Queues orders to the engine about something that has just changed, in their order: a phone that is dropped before its
 * account is forgotten could register again. The change is made and stays, so an order that cannot be queued is
 * reported and fails nothing: the engine asks the directory anew for each call and registration.
 */
export async function tellEngine(
  engine: Pick<CallEngine, 'send'>,
  commands: readonly EngineCommand[],
  { domain, requestId, reportUnsent }: Pick<ChangeContext, 'domain' | 'requestId' | 'reportUnsent'>,
): Promise<void> {
  for (const command of commands) {
    try {
      await engine.send(command, { domain, presenceId: null, requestId })
    } catch (error) {
      reportUnsent(`command ${command.kind}`, error)
    }
  }
}

/** Queues an event of a change that is made and stays; what cannot be queued is reported and fails nothing. */
export async function tellHooks(
  events: Pick<EventSink, 'publish'>,
  event: PlatformEvent,
  reportUnsent: ChangeContext['reportUnsent'],
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
