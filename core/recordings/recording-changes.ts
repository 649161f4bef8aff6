import { type RecordingStore, longestCallMs } from './recording-store.ts'
import type { ExpectedRecording, Recording, RecordingKey, StoredObject } from './recording.ts'

/**
 * The effect of a `RecordingStore` method on a record. Both adapters share these rules and add reading and writing.
 * Without `next` nothing is written.
 */
export interface RecordingChange<A> {
  readonly next?: Recording | undefined
  readonly answer: A
}

type ChangingMethods = Pick<
  RecordingStore,
  'expect' | 'claim' | 'renew' | 'release' | 'markStored' | 'markFailed' | 'markDeleted' | 'markRemoved' | 'setHold'
>

/**
 * Returns the changing methods of a store over its way to apply a rule to one record: `change` reads the record, calls
 * the rule, writes `next` unless the record has changed meanwhile, and returns the answer.
 */
export function recordingChanges(
  change: <A>(place: RecordingKey, rule: (stored: Recording | undefined) => RecordingChange<A>) => Promise<A>,
): ChangingMethods {
  return {
    expect: (recording) => change(recording, (stored) => expected(stored, recording)),
    claim: (place, by, times) => change(place, (stored) => claimed(stored, by, times)),
    renew: (place, by, until, uploadId) => change(place, (stored) => renewed(stored, by, until, uploadId)),
    release: (place, by) => change(place, (stored) => released(stored, by)),
    markStored: (place, by, object) => change(place, (stored) => storedBy(stored, by, object)),
    markFailed: (place, at) => change(place, (stored) => failed(stored, at)),
    markDeleted: (place, at, isErased) => change(place, (stored) => deleted(stored, at, isErased)),
    markRemoved: (place, at) => change(place, (stored) => removed(stored, at)),
    setHold: (place, isHeld) => change(place, (stored) => held(stored, isHeld)),
  }
}

const learned = [
  ...(['endedAt', 'presenceId', 'leg', 'createdTime', 'engine', 'path'] as const),
  ...(['completionCause', 'reportedMs'] as const),
]

/** Returns the effect of `expect`. A recording that is no longer expected does not learn where its file was. */
function expected(stored: Recording | undefined, incoming: ExpectedRecording): RecordingChange<Recording> {
  if (stored === undefined) {
    const made: Recording = { ...incoming, state: 'expected', isHeld: false, version: 1 }
    return { next: made, answer: made }
  }
  const isOpen = stored.state === 'expected' || stored.state === 'failed'
  const lacked = learned.filter((field) => stored[field] === undefined && incoming[field] !== undefined)
  const taken = lacked.filter((field) => isOpen || (field !== 'engine' && field !== 'path'))
  if (stored.state === 'deleted' || taken.length === 0) return { answer: stored }
  const next = changed(stored, Object.fromEntries(taken.map((field) => [field, incoming[field]])))
  return { next, answer: next }
}

function claimed(
  stored: Recording | undefined,
  by: string,
  { now, until }: { readonly now: number; readonly until: number },
): RecordingChange<Recording | undefined> {
  if (stored === undefined || (stored.state !== 'expected' && stored.state !== 'failed')) return { answer: undefined }
  const { claim } = stored
  if (claim !== undefined && claim.by !== by && claim.until > now) return { answer: undefined }
  const next = changed(stored, { claim: { ...claim, by, until } })
  return { next, answer: next }
}

/** Returns the effect of `renew`. The claim of a deleted recording keeps its end. */
function renewed(
  stored: Recording | undefined,
  by: string,
  until: number,
  uploadId?: string,
): RecordingChange<boolean> {
  if (stored?.claim?.by !== by || stored.state === 'deleted') return { answer: false }
  const claim = { ...stored.claim, until, ...(uploadId === undefined ? {} : { uploadId }) }
  return { next: changed(stored, { claim }), answer: true }
}

/** Returns the effect of `release`: the claim has ended, and the state of the upload is kept for the next one. */
function released(stored: Recording | undefined, by: string): RecordingChange<void> {
  if (stored?.claim?.by !== by || stored.claim.until === 0) return { answer: undefined }
  return { next: changed(stored, { claim: { ...stored.claim, until: 0 } }), answer: undefined }
}

function storedBy(
  stored: Recording | undefined,
  by: string,
  object: StoredObject,
): RecordingChange<'stored' | 'claim_lost' | 'gone'> {
  if (stored === undefined || stored.state === 'deleted') return { answer: 'gone' }
  if (stored.state === 'stored') {
    const isSame = stored.size === object.size && stored.sha256 === object.sha256
    return { answer: isSame ? 'stored' : 'claim_lost' }
  }
  if (stored.claim?.by !== by) return { answer: 'claim_lost' }
  const { claim: _claim, engine: _engine, path: _path, closedAt: _closedAt, ...kept } = stored
  return { next: changed(kept, { ...object, state: 'stored' }), answer: 'stored' }
}

function failed(stored: Recording | undefined, at: number): RecordingChange<boolean> {
  if (stored?.state !== 'expected' || (stored.claim !== undefined && stored.claim.until > at)) return { answer: false }
  return { next: changed(stored, { state: 'failed', closedAt: at }), answer: true }
}

/** Returns the effect of `markDeleted`. The claim stays, to record how long its uploader may bring an object. */
function deleted(
  stored: Recording | undefined,
  at: number,
  isErased = false,
): RecordingChange<'deleted' | 'held' | 'gone'> {
  if (stored === undefined) return { answer: 'gone' }
  if (stored.state === 'deleted') {
    const isKnown = stored.name !== erasedName || stored.presenceId !== undefined
    return { answer: 'gone', ...(isErased && isKnown ? { next: changed(erased(stored), {}) } : {}) }
  }
  if (stored.isHeld) return { answer: 'held' }
  const { engine: _engine, path: _path, ...kept } = isErased ? erased(stored) : stored
  return { next: changed(kept, { state: 'deleted', closedAt: at, isRemoved: false }), answer: 'deleted' }
}

const erasedName = 'erased'

/** Names of files often contain the numbers of a call. */
function erased({ presenceId: _presenceId, ...stored }: Recording): Recording {
  return { ...stored, name: erasedName }
}

function removed(stored: Recording | undefined, at: number): RecordingChange<boolean> {
  if (stored?.state !== 'deleted') return { answer: false }
  if (stored.isRemoved === true) return { answer: true }
  if (stored.claim !== undefined && stored.claim.until > at) return { answer: false }
  const { claim: _claim, ...kept } = stored
  return { next: changed(kept, { isRemoved: true }), answer: true }
}

function held(stored: Recording | undefined, isHeld: boolean): RecordingChange<Recording | undefined> {
  if (stored === undefined || stored.state === 'deleted') return { answer: undefined }
  if (stored.isHeld === isHeld) return { answer: stored }
  const next = changed(stored, { isHeld })
  return { next, answer: next }
}

/** Returns when an expected recording's call counts as ended, epoch milliseconds. */
export function endOf({ startedAt, endedAt }: Pick<Recording, 'startedAt' | 'endedAt'>): number {
  return endedAt ?? startedAt + longestCallMs
}

function changed(stored: Recording, change: Partial<Recording>): Recording {
  return { ...stored, ...change, version: stored.version + 1 }
}
