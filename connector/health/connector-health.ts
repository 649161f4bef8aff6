import type { Engine, EngineLink } from '../engine.ts'

/** Where one link stands. */
export interface LinkHealth {
  readonly state: 'connecting' | 'ready' | 'down'
  /** Why it is down; absent while it is not. */
  readonly reason?: string
  /** Epoch milliseconds of the last byte; 0 before the first. */
  readonly heardAt: number
  /** Connections made so far. */
  readonly connections: number
  /** Events that could not be read. */
  readonly unreadableEvents: number
  /** Replies that came after their time. */
  readonly lateReplies: number
}

/** Where one engine and its links stand. */
export interface EngineHealth {
  readonly name: string
  /** Empty when unknown. */
  readonly coreUuid: string
  readonly commands: LinkHealth
  readonly events: LinkHealth
}

/** What the private health endpoint tells: numbers and states, no name of a tenant and no value of an event. */
export interface ConnectorHealth {
  /** `OK` while both links of every engine are up. */
  readonly status: 'OK' | 'error'
  readonly connectorId: string
  readonly version: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly engines: readonly EngineHealth[]
  /** How long the event that waits longest has been waiting to be queued. */
  readonly lagMs: number
  readonly counters: Readonly<Record<string, number>>
}

/** An engine's health, as its links tell it. */
export function engineHealth({ name, coreUuid, commands, events }: Engine): EngineHealth {
  return { name, coreUuid, commands: linkHealth(commands), events: linkHealth(events) }
}

function linkHealth({ state, heardAt, counts }: Pick<EngineLink, 'state' | 'heardAt' | 'counts'>): LinkHealth {
  return {
    state: state.kind,
    heardAt: Math.floor(heardAt),
    connections: counts.connections,
    unreadableEvents: counts.unreadableEvents,
    lateReplies: counts.lateReplies,
    ...(state.kind === 'down' ? { reason: state.reason } : {}),
  }
}
