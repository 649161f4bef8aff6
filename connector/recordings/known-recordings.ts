import { type RecordingFacts, type RecordingWord, afterWord, fileId } from './recording-facts.ts'
import type { RecordingStore } from '../../core/recordings/recording-store.ts'
import { recordingKey } from '../../core/recordings/recording.ts'
import type { Timers } from '../../core/concurrency/timers.ts'

/** A recording whose record does not have its end yet, and the progress of writing it. */
export interface KnownRecording {
  facts: RecordingFacts
  /** Failed attempts since the last report. */
  failures: number
  isAtWork: boolean
  isChanged: boolean
  cancel: () => void
}

/** The recordings in memory. */
export interface KnownRecordings {
  hear(word: RecordingWord): KnownRecording[]
  /** Forgets one whose record is complete, so that repeated reports of it bring nothing back. */
  finish(known: KnownRecording): void
  hasCall(uuid: string): boolean
  all(): Iterable<KnownRecording>
  readonly size: number
  /** Recordings that were forgotten before their end, since there was no room. */
  readonly dropped: number
}

/** About 1 KB each. */
const maxKnown = 20_000

/** The newest of those that are finished: their reports may come again. */
const maxFinished = 5_000

/** Makes an empty memory of recordings, with room for `limit` of them. */
export function knownRecordings(limit = maxKnown): KnownRecordings {
  const byId = new Map<string, KnownRecording>()
  const byCall = new Map<string, Set<KnownRecording>>()
  const finished = new Map<string, number>()
  let dropped = 0

  const forget = (known: KnownRecording): void => {
    const { uuid } = known.facts
    known.cancel()
    byId.delete(fileId(known.facts))
    const ofCall = byCall.get(uuid)
    ofCall?.delete(known)
    if (ofCall?.size === 0) byCall.delete(uuid)
  }
  const enter = (facts: RecordingFacts): KnownRecording[] => {
    const [oldest] = byId.values()
    if (byId.size >= limit && oldest !== undefined) {
      dropped += 1
      forget(oldest)
    }
    const known: KnownRecording = { facts, failures: 0, isAtWork: false, isChanged: false, cancel: () => {} }
    byId.set(fileId(facts), known)
    byCall.set(facts.uuid, (byCall.get(facts.uuid) ?? new Set()).add(known))
    return [known]
  }
  const change = (known: KnownRecording, facts: RecordingFacts): KnownRecording[] => {
    if (facts === known.facts) return []
    Object.assign(known, { facts, failures: 0 })
    return [known]
  }
  const hearOfFile = (word: Exclude<RecordingWord, { kind: 'end' }>): KnownRecording[] => {
    const id = fileId(word.facts)
    const known = byId.get(id)
    if (known !== undefined) return change(known, afterWord(known.facts, word))
    const at = word.facts.isStartTold ? word.facts.startedAt : (word.facts.endedAt ?? 0)
    return at <= (finished.get(id) ?? -1) ? [] : enter(word.facts)
  }

  return {
    hear: (word) => {
      if (word.kind !== 'end') return hearOfFile(word)
      const open = [...(byCall.get(word.uuid) ?? [])].filter(({ facts }) => facts.endedAt === undefined)
      return open.flatMap((known) => change(known, { ...known.facts, endedAt: word.at }))
    },
    finish: (known) => {
      const id = fileId(known.facts)
      forget(known)
      finished.delete(id)
      finished.set(id, known.facts.endedAt ?? known.facts.startedAt)
      const [oldest] = finished.keys()
      if (finished.size > maxFinished && oldest !== undefined) finished.delete(oldest)
    },
    hasCall: (uuid) => byCall.has(uuid),
    all: () => byId.values(),
    get size() {
      return byId.size
    },
    get dropped() {
      return dropped
    },
  }
}

/** A call that ended and was recorded, by what its last event says. */
export type RecordedCall = Omit<RecordingFacts, 'path' | 'isStartTold'>

/** The other connector has written the record of what it heard of a call so long after the call's end. */
const othersMs = 60_000

/** Calls that are waited for at a time; more unheard ones are an outage that is reported otherwise. */
const maxWaiting = 1_000

/** Calls `look` for a call once the other connectors have reported its recording, if they read the event. */
export function afterPeerReports(timers: Timers, look: (call: RecordedCall) => void): (call: RecordedCall) => void {
  let waiting = 0
  return (call) => {
    if (waiting >= maxWaiting) return
    waiting += 1
    timers.after(othersMs, () => {
      waiting -= 1
      look(call)
    })
  }
}

/** Stands for the path of a call's only recording if no connector heard its beginning and end. */
const missedPath = 'unheard'

/**
 * Expects a recording of a call that was recorded but whose recording is unknown: no connector read where it was
 * written, so it will be reported as one that never arrived.
 */
export async function expectMissed(
  store: Pick<RecordingStore, 'list' | 'expect'>,
  { domain, uuid, engine, presenceId, leg, createdTime, startedAt, endedAt }: RecordedCall,
): Promise<void> {
  if ((await store.list(domain, uuid)).length > 0) return
  const place = { domain, uuid, id: fileId({ domain, uuid, path: missedPath }) }
  const key = recordingKey(place, startedAt)
  const known = { presenceId, leg, createdTime, engine, startedAt, endedAt }
  await store.expect({ ...place, name: 'recording', key, path: undefined, ...known })
}
