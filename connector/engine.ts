import type { EslEvent } from './esl/event.ts'
import type { EslSession } from './esl/session.ts'

/** An event as it comes from an engine. */
export type EngineEvent = EslEvent

/** One connection to the event socket of an engine; it comes back by itself and never repeats a command. */
export type EngineLink = Pick<EslSession, 'state' | 'heardAt' | 'counts' | 'api' | 'bgapi' | 'resubscribe' | 'close'>

/**
 * One engine with its two links. The engine runs one command at a time on a link and sends no event meanwhile, and
 * reads no command while events are queued: commands and events must not share one.
 */
export interface Engine {
  /** Shown in logs and health; holds no password. */
  readonly name: string
  readonly commands: EngineLink
  readonly events: EngineLink
  /** The engine's `Core-UUID`; empty until it told. */
  readonly coreUuid: string
}

/** Whether a link can carry a command or an event now. */
export function isReady(link: Pick<EngineLink, 'state'>): boolean {
  return link.state.kind === 'ready'
}

/** `CHANNEL_CREATE`, or `CUSTOM->svc::user_create`: what hooks call an event. */
export function eventNameOf(event: Pick<EngineEvent, 'name' | 'subclass'>): string {
  return event.subclass === '' ? event.name : `${event.name}->${event.subclass}`
}
