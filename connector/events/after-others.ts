import type { Log } from '../../adapters/log/logger.ts'
import type { ConnectorReport, PlatformEvent } from '../../core/model.ts'
import type { ConnectorStatusStore } from '../../core/ports.ts'
import { Chain } from '../spool/chain.ts'
import { sizeOf } from '../spool/waiting-events.ts'
import { type Time, pause } from '../timers.ts'

/** The reports of the others are looked at this often while something is held. */
const lookMs = 1_000

/** Reports come every 5 s: of whoever listened and has not reported for so long after a link came up, none will come. */
const silenceMs = 7_000

/** Clocks of two hosts differ by this much at most, and what is on its way between an engine and another host. */
const slackMs = 1_000

/** What is held leaves after so long, whatever the others tell: an event that is late is worth more than its order. */
const longestMs = 60_000

/** What may be held, ten seconds of a storm: with more of it all leaves at once, to wait where there is a disk. */
const usualLimits = { events: 20_000, bytes: 64 * 1024 * 1024 }

/** Keeps events of calls from passing those that another connector read before and has yet to hand over. */
export interface AfterOthers {
  /** Takes an event for the outbox, now or later; `false` when the outbox has no room for it. */
  add(event: PlatformEvent): boolean
  /** Events of an engine were missed or given up; from now on they are heard again. */
  heardAgain(engine: string): void
  /** Lets go of all that is held, and holds no more. */
  stop(): void
  /** Events that are held, their bytes, and when the oldest was taken, epoch milliseconds. */
  readonly waiting: number
  readonly bytes: number
  readonly oldestAt: number | undefined
  /** Times that more was held than may be. */
  readonly overflows: number
}

/** What holding is made from. */
export interface AfterOthersParts extends Time {
  readonly outbox: { add(event: PlatformEvent): boolean }
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  readonly log: Log
  readonly limits?: typeof usualLimits | undefined
}

/** The wait for what others heard of an engine until `since`. */
interface Holding {
  since: number
  readonly over: AbortController
}

interface Held {
  readonly event: PlatformEvent
  readonly bytes: number
  readonly takenAt: number
}

/**
 * After a link came up, events of calls that had begun before are held until every other connector that listened all
 * the time has handed over what it had read by then. Nobody waits for them meanwhile: the others tell the same events.
 * Where no other connector listens nothing is held. Events of other calls, and those without a call, pass.
 */
export function afterOthers(parts: AfterOthersParts): AfterOthers {
  const { outbox, clock, timers, limits = usualLimits } = parts
  const held = new Chain<Held>()
  const heldCalls = new Set<string>()
  const newCalls = new Set<string>()
  const holding = new Map<string, Holding>()
  let since = 0
  let bytes = 0
  let overflows = 0
  let isStopped = false

  const release = () => {
    for (const { over } of holding.values()) over.abort()
    holding.clear()
    for (let first = held.first; first !== undefined; first = held.first) {
      held.remove(first)
      outbox.add(first.value.event)
    }
    bytes = 0
    heldCalls.clear()
    newCalls.clear()
  }

  /** What comes in the first moment may have begun on the other side of it. */
  const noteBeginning = ({ name, uuid, fields }: PlatformEvent) => {
    const isReal = name === 'CHANNEL_CREATE' && fields['Synthetic'] !== 'true'
    if (isReal && !heldCalls.has(uuid) && clock.now() >= since + slackMs) newCalls.add(uuid)
  }

  const hold = (event: PlatformEvent) => {
    const size = sizeOf(event)
    held.push({ event, bytes: size, takenAt: clock.now() })
    heldCalls.add(event.uuid)
    bytes += size
    if (held.size <= limits.events && bytes <= limits.bytes) return
    overflows += 1
    parts.log.warn('events of calls may pass those of another connector: too many are held', { events: held.size })
    release()
  }

  const wait = async (engine: string, one: Holding) => {
    const { signal } = one.over
    const until = one.since + longestMs
    while (!signal.aborted && clock.now() < until) {
      const asked = one.since
      const mustHold = await mustWait(parts, engine, asked)
      if (!mustHold && asked === one.since) break
      if (mustHold) await pause(timers, lookMs, signal)
    }
    if (signal.aborted) return
    holding.delete(engine)
    if (holding.size === 0) release()
  }

  return {
    add: (event) => {
      if (holding.size === 0 || event.uuid === '') return outbox.add(event)
      noteBeginning(event)
      if (newCalls.has(event.uuid)) return outbox.add(event)
      hold(event)
      return true
    },
    heardAgain: (engine) => {
      if (isStopped) return
      since = clock.now()
      newCalls.clear()
      const known = holding.get(engine)
      if (known !== undefined) {
        known.since = since
        return
      }
      const begun = { since, over: new AbortController() }
      holding.set(engine, begun)
      void wait(engine, begun)
    },
    stop: () => {
      isStopped = true
      release()
    },
    get waiting() {
      return held.size
    },
    get bytes() {
      return bytes
    },
    get oldestAt() {
      return held.first?.value.takenAt
    },
    get overflows() {
      return overflows
    },
  }
}

/** Whether another connector may still hand over what it read before a link of this one came up. */
async function mustWait(
  { store, connectorId, clock }: AfterOthersParts,
  engine: string,
  linkedAt: number,
): Promise<boolean> {
  try {
    const reports = await store.list(linkedAt - silenceMs)
    const others = reports.filter((report) => report.connectorId !== connectorId && report.stoppedAt === undefined)
    return others.some((report) => listenedBefore(report, engine, linkedAt) && isBehind(report, linkedAt, clock.now()))
  } catch {
    // Without the store nothing is known, and whatever happens is told when it is back.
    return clock.now() < linkedAt + silenceMs
  }
}

function listenedBefore({ eventLinks = [] }: ConnectorReport, engine: string, linkedAt: number): boolean {
  return eventLinks.some((link) => link.engine === engine && link.upSince > 0 && link.upSince < linkedAt)
}

/** One that is silent has died: what it read comes from its disk when it is started again. */
function isBehind({ reportedAt, handedOverTo = reportedAt }: ConnectorReport, linkedAt: number, now: number): boolean {
  if (handedOverTo >= linkedAt + slackMs) return false
  return reportedAt >= now - silenceMs
}
