import type { Log } from '../../adapters/log/logger.ts'
import { baseEvents, isEventName } from '../../core/events/catalogue.ts'
import type { SubscriptionReader } from '../../core/hooks/definition/hook-store.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'

/** A hook takes effect within 2 s: asking once a second leaves one for reading the list and telling the engine. */
const pollMs = 1_000

/** Events that the platform itself needs: states and ends of calls, recordings, registrations, gateways, heartbeats. */
const ownEvents = [
  'CHANNEL_CREATE',
  'CHANNEL_ANSWER',
  'CHANNEL_BRIDGE',
  'CHANNEL_HOLD',
  'CHANNEL_UNHOLD',
  'CHANNEL_CALLSTATE',
  'CHANNEL_HANGUP_COMPLETE',
  'CHANNEL_DESTROY',
  'RECORD_START',
  'RECORD_STOP',
  'HEARTBEAT',
  'CUSTOM->sofia::register',
  'CUSTOM->sofia::unregister',
  'CUSTOM->sofia::expire',
  'CUSTOM->sofia::gateway_add',
  'CUSTOM->sofia::gateway_state',
  'CUSTOM->sofia::gateway_delete',
]

const customPrefix = 'CUSTOM->'

/** Events of the platform are its own to tell: one that the engine sends under such a name is not listened to. */
const servicePrefix = 'CUSTOM->svc::'

/** The wanted events of all domains: with a hook, base events and all that its hooks name; else none. */
export interface Subscriptions {
  readonly isKnown: boolean
  wants(domain: string, eventName: string): boolean
  isWanted(eventName: string): boolean
  /** Whether the platform, or any domain, wants the event. */
  concerns(eventName: string): boolean
  domainsWanting(eventName: string): string[]
  /** The words that an event link subscribes with: names, then `CUSTOM` and the subclasses. */
  engineWords(): string[]
  /** Reads what is wanted now, when it changed; answers whether it did. */
  refresh(): Promise<boolean>
  /** Refreshes once a second until aborted; `changed` is called after each change. */
  follow(changed: () => void, signal: AbortSignal): Promise<void>
}

export interface SubscriptionDeps extends Time {
  readonly reader: SubscriptionReader
  readonly log: Log
}

/**
 * Makes the subscriptions, as of the last refresh. At first they contain only the events that the platform itself
 * needs.
 */
export function subscriptions({ reader, log, timers }: SubscriptionDeps): Subscriptions {
  let version: number | undefined
  let hooked: ReadonlySet<string> = new Set()
  let named = new Map<string, Set<string>>()
  let engineNames = new Set(ownEvents)

  const refresh = async (): Promise<boolean> => {
    const current = await reader.version()
    if (current === version) return false
    const pairs = await reader.list()
    const next = new Map<string, Set<string>>()
    for (const { domain, event } of pairs.filter(({ event }) => isEventName(event))) {
      const domains = next.get(event) ?? new Set()
      next.set(event, domains.add(domain))
    }
    hooked = new Set(pairs.map(({ domain }) => domain))
    named = next
    const asked = [...ownEvents, ...(hooked.size > 0 ? baseEvents : []), ...next.keys()]
    engineNames = new Set(asked.filter((name) => !name.startsWith(servicePrefix)))
    version = current
    return true
  }

  const wanting = (eventName: string): ReadonlySet<string> | undefined =>
    baseEvents.has(eventName) ? hooked : named.get(eventName)

  return {
    get isKnown() {
      return version !== undefined
    },
    wants: (domain, eventName) => wanting(eventName)?.has(domain) === true,
    isWanted: (eventName) => (wanting(eventName)?.size ?? 0) > 0,
    concerns: (eventName) => engineNames.has(eventName),
    domainsWanting: (eventName) => [...(wanting(eventName) ?? [])],
    engineWords: () => wordsOf([...engineNames]),
    refresh,
    follow: async (changed, signal) => {
      const unread = errorLatch(log, 'what hooks want cannot be read; the last known stays in force')
      while (!signal.aborted) {
        try {
          if (await refresh()) changed()
          unread.over()
        } catch (problem) {
          unread.note(problem)
        }
        await pause(timers, pollMs, signal)
      }
    },
  }
}

/** All words after `CUSTOM` are subclasses to the engine, so the plain names go first. */
function wordsOf(names: readonly string[]): string[] {
  const isCustom = (name: string) => name.startsWith(customPrefix)
  const subclasses = names.filter(isCustom).map((name) => name.slice(customPrefix.length))
  return [...names.filter((name) => !isCustom(name)), 'CUSTOM', ...subclasses]
}
