import { createHash } from 'node:crypto'
import type { Log } from '../../adapters/log/logger.ts'
import type { GapStore } from '../../core/events/gap-store.ts'
import type { Gap } from '../../core/events/gap.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { writeBehind } from '../../core/concurrency/write-behind.ts'
import { nowhere } from '../runtime/engine.ts'

/** Gaps that may wait for the store; a link that comes and goes makes one every few seconds at most. */
const defaultLimit = 1_000

/** Drops of one class are reported together, once in this time. */
const dropMs = 10_000

/** A gap as it is reported, without owner and id. */
export type GapFound = Omit<Gap, 'id' | 'connectorId' | 'recordedBy'>

/** Events of one class that were given up, counted one by one. */
export interface DropFound {
  readonly class: string | number
  readonly count: number
  /** When the first and the last of them were read, epoch milliseconds. */
  readonly from: number
  readonly to: number
}

/** Records the gaps of this connector. */
export interface GapLog {
  /** Takes a gap; at once, and never failing. */
  add(gap: GapFound): void
  /** Takes note of dropped events; at once, and never failing. Drops of a class within ten seconds become one gap. */
  recordDrop(drop: DropFound): void
  /** Resolves when all that was taken is stored, or has failed once more. */
  flushed(): Promise<void>
  readonly waiting: number
  /** When the first of those that concern an engine begins, epoch milliseconds; absent when there is none. */
  unstoredFrom(engine: string): number | undefined
  readonly counts: {
    readonly found: number
    /** Gaps that could not be kept until the store came back: too many waited. */
    readonly lost: number
  }
}

export interface GapLogDeps extends Time {
  readonly store: Pick<GapStore, 'record'>
  readonly connectorId: string
  readonly random: () => number
  readonly log: Log
  readonly limit?: number | undefined
  /** Converts the moment at which an event was read to a time, by the engines' clocks, before which it was not sent. */
  readonly sentBefore?: ((moment: number) => number) | undefined
}

/** Returns the id of a gap: the same however often, and by which connector, it is recorded. */
export function gapId(gap: Pick<Gap, 'connectorId' | 'engine' | 'reason' | 'from' | 'dropped'>): string {
  const cause = JSON.stringify([gap.connectorId, gap.engine, gap.reason, gap.from, gap.dropped?.class ?? ''])
  return createHash('sha256').update(cause).digest('hex').slice(0, 32)
}

/** Makes a log without gaps. Each is written to the log lines at once, and to the store as soon as it takes it. */
export function gapLog(parts: GapLogDeps): GapLog {
  const { store, connectorId, random, log, timers, limit = defaultLimit, sentBefore = (moment) => moment } = parts
  const waiting: Gap[] = []
  const drops = new Map<string, { drop: DropFound; readonly cancel: () => void }>()
  const counts = { found: 0, lost: 0 }

  const writeOldest = async (): Promise<boolean> => {
    const [gap] = waiting
    if (gap === undefined) return false
    await store.record(gap)
    if (waiting[0] === gap) waiting.shift()
    return true
  }
  const onFailure = (problem: unknown, failures: number) => {
    if (failures === 1) log.error('a gap could not be stored; it will be tried again', problem)
  }
  const writer = writeBehind({ write: writeOldest, onFailure, timers, random })

  const add = (found: GapFound, noticedFrom = found.from) => {
    const own = { ...found, connectorId, recordedBy: connectorId }
    const gap = { ...own, id: gapId({ ...own, from: noticedFrom }) }
    counts.found += 1
    const { engine, reason, from, to, dropped } = gap
    const around = { coreBefore: gap.before.coreUuid, coreAfter: gap.after.coreUuid }
    log.warn('events may have been missed', { engine, reason, from, to, ...around, dropped: dropped?.count })
    if (waiting.length >= limit && waiting.shift() !== undefined) counts.lost += 1
    waiting.push(gap)
    writer.wake()
  }

  const tellDrop = (name: string) => {
    const gathered = drops.get(name)
    if (gathered === undefined || !drops.delete(name)) return
    gathered.cancel()
    const { from, to, count } = gathered.drop
    const around = { before: nowhere, after: nowhere }
    add({ engine: '', reason: 'dropped', from: sentBefore(from), to, ...around, dropped: { class: name, count } }, from)
  }

  return {
    add: (gap) => add(gap),
    recordDrop: (drop) => {
      const name = `${drop.class}`
      const gathered = drops.get(name)
      if (gathered === undefined) drops.set(name, { drop, cancel: timers.after(dropMs, () => tellDrop(name)) })
      else gathered.drop = merged(gathered.drop, drop)
    },
    flushed: () => {
      for (const name of drops.keys()) tellDrop(name)
      return writer.flushed()
    },
    get waiting() {
      return waiting.length
    },
    unstoredFrom: (engine) => {
      const own = waiting.filter((gap) => gap.engine === engine || gap.engine === '')
      const times = [...own, ...[...drops.values()].map(({ drop }) => drop)].map(({ from }) => from)
      return times.length === 0 ? undefined : Math.min(...times)
    },
    counts,
  }
}

function merged(a: DropFound, b: DropFound): DropFound {
  return { class: a.class, count: a.count + b.count, from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }
}
