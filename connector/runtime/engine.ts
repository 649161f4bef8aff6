import type { EslDownReason, EslEvent, EslSession } from '@callplane/esl'
import type { EventPosition } from '../../core/connectors/connector-report.ts'

/** An event as it comes from an engine. */
export type EngineEvent = EslEvent

/** Where an engine's event socket is. */
export interface EngineAddress {
  readonly host: string
  readonly port: number
  readonly password: string
}

/** One connection to the event socket of an engine; it comes back by itself and never repeats a command. */
export type EngineLink = Pick<EslSession, 'state' | 'heardAt' | 'counts' | 'api' | 'bgapi' | 'resubscribe' | 'close'>

/** The purposes of an engine's two links. */
export type LinkRole = 'commands' | 'events'

/**
 * One engine with its two links. The engine runs one command at a time on a link and sends no event meanwhile, and
 * reads no command while events are queued: commands and events must not share one.
 */
export interface Engine {
  /** Shown in logs and health, and unique among the engines of a connector; holds no password. */
  readonly name: string
  readonly commands: EngineLink
  readonly events: EngineLink
  /** The engine's `Core-UUID`; empty until it is known. */
  readonly coreUuid: string
  /** Why a link was last lost; absent while it is up. Stays while the next attempt is made. */
  readonly reasons: Readonly<Partial<Record<LinkRole, EslDownReason>>>
}

/** Returns `host:port`, with an IPv6 host in brackets: the identity of an engine. */
export function engineName({ host, port }: Pick<EngineAddress, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Returns whether a link can carry a command or an event now. */
export function isReady(link: Pick<EngineLink, 'state'>): boolean {
  return link.state.kind === 'ready'
}

/** Returns whether both links of an engine are up, so that it accepts orders and reports their outcomes. */
export function isHealthy({
  commands,
  events,
}: {
  readonly [Role in LinkRole]: Pick<EngineLink, 'state'>
}): boolean {
  return isReady(commands) && isReady(events)
}

/** Returns an event's name as hooks write it: `CHANNEL_CREATE`, or `CUSTOM->svc::user_create`. */
export function eventNameOf(event: Pick<EngineEvent, 'name' | 'subclass'>): string {
  return event.subclass === '' ? event.name : `${event.name}->${event.subclass}`
}

/** Stands for an event that is not known. */
export const nowhere: EventPosition = { coreUuid: '', sequence: '' }

/** Returns the position of an event. */
export function positionOf({ coreUuid, sequence }: EngineEvent): EventPosition {
  return { coreUuid, sequence }
}

/** Returns when the engine made the event by its own clock, whole epoch milliseconds, no later than it says. */
export function engineTime(event: EngineEvent | undefined): number | undefined {
  const microseconds = Number(event?.header('Event-Date-Timestamp'))
  return microseconds > 0 ? Math.floor(microseconds / 1_000) : undefined
}

/** An engine's time that is further back says that its clock is wrong, and not how late its events are read. */
const maxLagMs = 600_000

/**
 * Returns the earlier of a moment of our own clock and a time of the engine's. Later events of the engine may not
 * have been read at that moment.
 */
export function earlierReported(moment: number, engineAt: number | undefined): number {
  return engineAt !== undefined && engineAt > moment - maxLagMs ? Math.min(moment, engineAt) : moment
}
