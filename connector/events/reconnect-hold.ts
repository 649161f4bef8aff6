import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { hasListenedSince, listenings } from '../../core/connectors/connectors.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { type EngineEvent, engineTime } from '../runtime/engine.ts'

/** A living connector has handed over by then what it had read before. */
const holdMs = 8_000

/** Reports come every 5 s: a connector that has not reported for so long before a link came up is dead. */
const silenceMs = 7_000

/** Clocks of two hosts differ by this much at most, and what is on its way between an engine and another host. */
const slackMs = 1_000

export interface ReconnectHoldDeps extends Time {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
}

/** The held events of one engine, since its link came up once. */
interface Hold {
  readonly engine: string
  /** When its events were heard again, epoch milliseconds. */
  readonly since: number
  /** The first event since then, by the engine's clock, epoch milliseconds; absent until there is one. */
  firstAt: number | undefined
  readonly held: { readonly uuid: string; readonly pass: () => void }[]
  /** The calls of these events, and of those that an earlier hold of the engine still has. */
  readonly calls: Set<string>
}

/**
 * Keeps events of calls from passing those that another connector read before and has yet to hand over.
 *
 * After an engine's link came up, events of its calls that had begun before are held for 8 s, if another connector was
 * listening then. They delay no receiver: the other relays the same events. Events of other calls and of other engines,
 * and those without a call, pass. What is held waits in the buffer, and so on its disk.
 */
export class ReconnectHold {
  readonly #deps: ReconnectHoldDeps
  /** The newest hold of each engine, and all in the order in which they began. */
  readonly #holds = new Map<string, Hold>()
  readonly #all = new Set<Hold>()
  #isStopped = false

  constructor(deps: ReconnectHoldDeps) {
    this.#deps = deps
  }

  get waiting(): number {
    return [...this.#all].reduce((sum, { held }) => sum + held.length, 0)
  }

  /** Takes an event of the engine named: calls `pass`, which lets it go to the queue, now or later. */
  add({ uuid, fields }: Pick<PlatformEvent, 'uuid' | 'fields'>, engine: string, pass: () => void): void {
    const hold = this.#holdOf(uuid, engine)
    if (hold === undefined || (!hold.calls.has(uuid) && isOfNewCall(hold, fields))) return pass()
    hold.held.push({ uuid, pass })
    hold.calls.add(uuid)
  }

  /** An event of an engine was read; at once, and never failing. */
  heard(event: EngineEvent, engine: string): void {
    const hold = this.#holds.get(engine)
    if (hold !== undefined) hold.firstAt ??= engineTime(event)
  }

  /** Events of an engine were missed; from now on they are heard again. */
  heardAgain(engine: string): void {
    if (this.#isStopped) return
    // What is held already does not wait for longer.
    const calls = new Set(this.#holds.get(engine)?.calls)
    const hold: Hold = { engine, since: this.#deps.clock.now(), firstAt: undefined, held: [], calls }
    this.#holds.set(engine, hold)
    this.#all.add(hold)
    void this.#wait(hold)
  }

  /** Holds no more: all that is held goes to the queue. */
  stop(): void {
    this.#isStopped = true
    for (const hold of this.#holds.values()) this.#release(hold)
  }

  /** Events of a call that another engine has recovered stay after its held ones. */
  #holdOf(uuid: string, engine: string): Hold | undefined {
    if (uuid === '' || this.#holds.size === 0) return undefined
    return [...this.#holds.values()].find(({ calls }) => calls.has(uuid)) ?? this.#holds.get(engine)
  }

  async #wait(hold: Hold): Promise<void> {
    const { clock, timers } = this.#deps
    if (await this.#hasPeer(hold)) await pause(timers, Math.max(0, hold.since + holdMs - clock.now()))
    this.#release(hold)
  }

  /** Whether another connector listened before. Without the store nothing is known. */
  async #hasPeer({ engine, since }: Hold): Promise<boolean> {
    const { store, connectorId } = this.#deps
    const reports = await store.list(since - silenceMs).catch(() => undefined)
    if (reports === undefined) return true
    return listenings(reports, engine).some(
      (other) => other.connectorId !== connectorId && !other.hasStopped && hasListenedSince(other, since - 1),
    )
  }

  /** Lets the events of a hold go, after those of earlier holds of its engine. */
  #release(hold: Hold): void {
    if (!this.#all.has(hold)) return
    for (const one of this.#all) {
      if (one.engine !== hold.engine) continue
      this.#all.delete(one)
      for (const { pass } of one.held) pass()
      if (one === hold) break
    }
    if (this.#holds.get(hold.engine) === hold) this.#holds.delete(hold.engine)
  }
}

/** Whether every event of the call came after the first one that was heard, so that all of them were heard here. */
function isOfNewCall({ firstAt }: Hold, fields: PlatformEvent['fields']): boolean {
  const createdAt = Number(fields['Caller-Channel-Created-Time']) / 1_000
  return firstAt !== undefined && createdAt > firstAt + slackMs
}
