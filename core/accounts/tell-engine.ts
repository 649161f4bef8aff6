import type { EngineCommand } from '../commands.ts'
import type { PlatformEvent } from '../model.ts'
import type { CallEngine, EventSink } from '../ports.ts'
import type { ChangeContext } from './account-context.ts'

/**
 * Queues orders to the engine about something that has just changed. The change is made and stays, so an order that
 * cannot be queued is reported and fails nothing: the engine forgets what it cached of an account within a minute.
 */
export async function tellEngine(
  engine: Pick<CallEngine, 'send'>,
  commands: readonly EngineCommand[],
  { domain, reportUnsent }: Pick<ChangeContext, 'domain' | 'reportUnsent'>,
): Promise<void> {
  const sent = await Promise.allSettled(commands.map((command) => engine.send(command, { domain, presenceId: null })))
  for (const [index, result] of sent.entries()) {
    if (result.status === 'rejected') reportUnsent(`command ${commands[index]?.kind}`, result.reason)
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
