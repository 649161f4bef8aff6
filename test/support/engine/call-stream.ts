import { randomUUID } from 'node:crypto'
import type { EventLedger } from '../invariants/event-ledger.ts'
import type { RecordedCall, ReplayedCall } from './recorded-call.ts'
import type { ScriptedEngine } from './scripted-engine.ts'

/** Calls of many domains at once, of which an engine sends one event after another. */
export interface CallStream {
  /** Sends the next event of one of the calls that are up, and writes it into the ledger. */
  tell(): void
  /** Sends the next event of a call that is up, and begins no other; `false` when none is up. */
  endOne(): boolean
  /** Calls whose events have all been sent. */
  readonly ended: readonly ReplayedCall[]
  /** Calls that are up. */
  readonly live: readonly ReplayedCall[]
}

/** A stream that keeps so many calls up; which one goes on, and whose it is, `random` (0 to 1) decides. */
export function callStream(parts: {
  readonly engine: ScriptedEngine
  readonly ledger: EventLedger
  readonly call: RecordedCall
  readonly domains: readonly string[]
  readonly live: number
  readonly random: () => number
}): CallStream {
  const { engine, ledger, call, domains, random } = parts
  const live: ReplayedCall[] = []
  const ended: ReplayedCall[] = []
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  let sequence = 0
  /** One in twenty-five of a real engine's events is numbered after the one that follows it. */
  let owed: number | undefined
  const nextSequence = (): number => {
    if (owed !== undefined) {
      const number = owed
      owed = undefined
      return number
    }
    sequence += 1
    if (random() >= 0.04) return sequence
    owed = sequence
    sequence += 1
    return sequence
  }

  engine.rows = () =>
    live.flatMap(({ uuid, domain, callState, sent }) =>
      sent === 0 ? [] : [{ uuid, presence_id: `1000@${domain}`, context: 'default', callstate: callState }],
    )

  const tellOf = (one: ReplayedCall) => {
    const number = nextSequence()
    const now = Date.now()
    const event = one.next(number, now)
    if (event === undefined) return
    if (one.isOver) ended.push(...live.splice(live.indexOf(one), 1))
    ledger.sent(number, { uuid: one.uuid, name: event.name, at: now })
    engine.tell(event)
  }

  return {
    tell: () => {
      while (live.length < parts.live) {
        live.push(call.begin({ coreUuid: engine.coreUuid, uuid: randomUUID(), domain: pick(domains) ?? '' }))
      }
      const one = pick(live)
      if (one !== undefined) tellOf(one)
    },
    endOne: () => {
      const [one] = live
      if (one !== undefined) tellOf(one)
      return one !== undefined
    },
    ended,
    live,
  }
}
