import type { CommandRecord } from '../../core/commands.ts'
import type { Account, ConnectorReport, Delivery, Domain, Hook, Presence, Token } from '../../core/model.ts'
import type { AuditRecord, Clock, Randomness } from '../../core/ports.ts'

/** All that the memory adapters keep. Maps are keyed by {@link memoryKey}; a record in them is never changed in place. */
export interface MemoryState {
  readonly domains: Map<string, Domain>
  readonly accounts: Map<string, Account>
  readonly tokens: Map<string, Token>
  /** Username to when it was last active. */
  readonly sessions: Map<string, { readonly username: string; readonly domain: string; readonly at: number }>
  readonly highestSessions: { users: number }
  /** Throttle key to the times of its failures. */
  readonly failures: Map<string, readonly number[]>
  readonly presence: Map<string, Presence>
  readonly commands: Map<string, CommandRecord>
  readonly hooks: Map<string, Hook>
  readonly subscriptions: { version: number }
  readonly deliveries: Map<string, Delivery>
  readonly connectors: Map<string, ConnectorReport>
  readonly connectorStarts: { count: number }
  readonly audit: AuditRecord[]
}

/** What every memory adapter is made from. Adapters that share a state see each other's writes. */
export interface MemoryContext {
  readonly clock: Clock
  readonly random: Randomness
  readonly state: MemoryState
}

/** An empty state. */
export function memoryState(): MemoryState {
  return {
    domains: new Map(),
    accounts: new Map(),
    tokens: new Map(),
    sessions: new Map(),
    highestSessions: { users: 0 },
    failures: new Map(),
    presence: new Map(),
    commands: new Map(),
    hooks: new Map(),
    subscriptions: { version: 0 },
    deliveries: new Map(),
    connectors: new Map(),
    connectorStarts: { count: 0 },
    audit: [],
  }
}

/** One key from several parts; no two lists of parts give the same key. */
export function memoryKey(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

/** Orders text by its UTF-16 code units, as the stores order their ASCII keys. */
export function byText<T>(textOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [textOf(a), textOf(b)]
    return left < right ? -1 : Number(left > right)
  }
}
