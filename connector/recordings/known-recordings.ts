import type { Recording } from '../../core/recordings/recording.ts'
import type { RefusalReason } from './mapped-path.ts'
import { type RecordingFacts, type RecordingWord, afterWord, fileId } from './recording-facts.ts'

/** A recording that is not finished, and how its handling stands. */
export interface KnownRecording {
  facts: RecordingFacts
  /** Failed attempts since the last new report. */
  failures: number
  isAtWork: boolean
  /** Whether a report came while it was being handled. */
  hasNews: boolean
  /** Whether its note on disk has all that is known. */
  isNoted: boolean
  /** Why its file must not be stored: the owner of its content is no longer certain. */
  refusal?: RefusalReason
  /** Its record, once it is stored and only the lock of its legal hold may be missing. */
  unlocked?: Recording | undefined
  /** Takes back the next attempt. */
  cancel: () => void
}

/** The recordings in memory. */
export interface KnownRecordings {
  /** Takes in a word of the engine, and answers what it changed. */
  hear(word: RecordingWord): KnownRecording[]
  /** Adds the recording of a note; does nothing if it is known, or there is no room. */
  recall(facts: RecordingFacts): KnownRecording | undefined
  /** Forgets one that is finished, so that repeated words of it bring nothing back. */
  finish(known: KnownRecording): void
  /** Forgets one that is left to others, or to a later look at the notes. */
  leave(known: KnownRecording): void
  has(id: string): boolean
  hasCall(uuid: string): boolean
  all(): Iterable<KnownRecording>
  readonly size: number
  /** Words that were not taken in, since there was no room. */
  readonly dropped: number
}

/** About 1 KB each. One without room has a note on disk if the other connector heard its end, or is counted. */
export const maxKnown = 20_000

/** The newest of those that are finished: their words may come again. */
const maxFinished = 5_000

/** Makes an empty memory of recordings. */
export function knownRecordings(limit = maxKnown): KnownRecordings {
  const byId = new Map<string, KnownRecording>()
  const byCall = new Map<string, Set<KnownRecording>>()
  const byPath = new Map<string, Set<KnownRecording>>()
  const finished = new Map<string, number>()
  let dropped = 0

  const enter = (facts: RecordingFacts): KnownRecording | undefined => {
    if (byId.size >= limit) return undefined
    const known: KnownRecording = {
      facts,
      failures: 0,
      isAtWork: false,
      hasNews: false,
      isNoted: false,
      cancel: () => {},
    }
    byId.set(fileId(facts), known)
    byCall.set(facts.uuid, (byCall.get(facts.uuid) ?? new Set()).add(known))
    const ofFile = (byPath.get(facts.path) ?? new Set()).add(known)
    byPath.set(facts.path, ofFile)
    for (const other of ofFile) if (other.unlocked === undefined) setApart(known, other)
    return known
  }
  const leave = (known: KnownRecording): void => {
    known.cancel()
    byId.delete(fileId(known.facts))
    takeFrom(byCall, known.facts.uuid, known)
    takeFrom(byPath, known.facts.path, known)
  }
  const change = (known: KnownRecording, facts: RecordingFacts): KnownRecording[] => {
    if (facts === known.facts) return []
    Object.assign(known, { facts, failures: 0, isNoted: false, unlocked: undefined })
    return [known]
  }
  const hearOfFile = (word: Exclude<RecordingWord, { kind: 'end' }>): KnownRecording[] => {
    const id = fileId(word.facts)
    const known = byId.get(id)
    if (known !== undefined) return change(known, afterWord(known.facts, word))
    const at = word.facts.isStartTold ? word.facts.startedAt : (word.facts.endedAt ?? 0)
    if (at <= (finished.get(id) ?? -1)) return []
    const entered = enter(word.facts)
    if (entered === undefined) dropped += 1
    return entered === undefined ? [] : [entered]
  }

  return {
    hear: (word) => {
      if (word.kind !== 'end') return hearOfFile(word)
      const open = [...(byCall.get(word.uuid) ?? [])].filter(({ facts }) => facts.endedAt === undefined)
      return open.flatMap((known) => change(known, { ...known.facts, endedAt: word.at }))
    },
    recall: (facts) => {
      const entered = byId.has(fileId(facts)) ? undefined : enter(facts)
      if (entered !== undefined) entered.isNoted = true
      return entered
    },
    finish: (known) => {
      leave(known)
      const id = fileId(known.facts)
      finished.delete(id)
      finished.set(id, known.facts.endedAt ?? known.facts.startedAt)
      const [oldest] = finished.keys()
      if (finished.size > maxFinished && oldest !== undefined) finished.delete(oldest)
    },
    leave,
    has: (id) => byId.has(id),
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

/**
 * Judges two recordings into one file: of two domains both are refused; of two calls one after
 * the other, the earlier one, whose content was overwritten before it was stored.
 */
function setApart(known: KnownRecording, other: KnownRecording): void {
  const { facts } = known
  if (other.facts.domain !== facts.domain) {
    known.refusal = 'file of another domain'
    other.refusal = 'file of another domain'
  } else if (facts.isStartTold && facts.startedAt > (other.facts.endedAt ?? Number.POSITIVE_INFINITY)) {
    other.refusal ??= 'file of another call'
  }
}

function takeFrom(sets: Map<string, Set<KnownRecording>>, key: string, known: KnownRecording): void {
  const set = sets.get(key)
  set?.delete(known)
  if (set?.size === 0) sets.delete(key)
}
