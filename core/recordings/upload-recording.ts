import { callIdOf } from '../channels/call-id.ts'
import type { KnownCallStore } from '../channels/known-call-store.ts'
import type { CdrQueue } from '../cdr/cdr-update.ts'
import { isOfTenant } from '../domains/domain.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { DomainError } from '../errors.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { FileStore, LinkedPart, PartLink, Upload, UploadedPart } from './file-store.ts'
import type { Clock } from '../time.ts'
import { keepHold } from './hold-recordings.ts'
import { recordingEvent } from './recording-event.ts'
import { recordingUpdate } from './recording-update.ts'
import type { RecordingStore } from './recording-store.ts'
import { type RecordingType, recordingTypeOf } from './recording-type.ts'
import type { Recording } from './recording.ts'

/** The size of every part of a file but the last. */
export const partBytes = 8 * 1024 * 1024

/** How long links of parts are valid: 8 MiB at 75 kbit/s. */
const linkSeconds = 900

/** Longer than a link: when the claim is over, no part comes by it any more. */
export const uploadClaimMs = (linkSeconds + 60) * 1000

/** A finished file at an engine. */
export interface OfferedFile {
  /** The folder that it is in, which is named after its domain; empty: it is in none. */
  readonly domain: string
  /** The uuid of its call if it is named after that, else any text. */
  readonly uuid: string
  /** Its name, without folders. */
  readonly name: string
  readonly size: number
  /** SHA-256 of the file, 64 lower-case hexadecimal digits. */
  readonly sha256: string
  /** The same of each {@link partBytes} of it. */
  readonly parts: readonly string[]
  /** The sound in it by its header and its size, milliseconds; absent where its sender cannot tell. */
  readonly soundMs?: number | undefined
  /** Whether the engine left its header unfinished; its sender has repaired that. */
  readonly isUnfinished?: boolean | undefined
}

/** A part that the uploader has to put. */
export interface WantedPart extends PartLink {
  readonly number: number
  readonly size: number
}

/** The answer to an offer. */
export type UploadState =
  /** These parts are missing. */
  | { readonly kind: 'upload'; readonly parts: readonly WantedPart[] }
  /** The platform has it, or its owner deleted it: the file is not needed any more. */
  | { readonly kind: 'stored' | 'deleted' }
  /** The platform has it, and only the lock of its legal hold may be missing: an offer of the file sets it. */
  | { readonly kind: 'unlocked'; readonly problem: unknown }
  /** No connector has reported the recording (yet). */
  | { readonly kind: 'unknown' }
  /** The recording has not ended. */
  | { readonly kind: 'recording' }
  /** Another uploader has the recording, or other bytes are stored. */
  | { readonly kind: 'elsewhere' }

export interface UploadDeps {
  readonly domains: Pick<DomainStore, 'read'>
  readonly knownCalls: Pick<KnownCallStore, 'read'>
  readonly recordings: Pick<
    RecordingStore,
    'list' | 'listByFile' | 'read' | 'expect' | 'claim' | 'renew' | 'markStored'
  >
  readonly recordingFiles: Pick<
    FileStore,
    'beginUpload' | 'signPart' | 'listParts' | 'completeUpload' | 'abortUpload' | 'head' | 'remove' | 'hold'
  >
  readonly events: EventSink
  readonly cdrQueue: CdrQueue
  readonly clock: Clock
  /** The time after its deletion for which a domain's name stays reserved, milliseconds. */
  readonly graceMs: number
}

/**
 * Takes the file of a recording from an engine, part by part, straight into the object store. Each call continues where
 * the last one ended: it returns links for the parts that are missing. When none is, it completes the object, writes
 * the record and publishes the event; repeated calls change nothing more. The store verifies the checksum of each part;
 * that of the whole file is the engine's word. Throws `invalid_field`, and `store_unavailable` while a store is away.
 */
export async function uploadRecording(deps: UploadDeps, file: OfferedFile): Promise<UploadState> {
  const type = typeOf(file)
  const recording = await findOffered(deps, file)
  if (recording === undefined) return { kind: 'unknown' }
  if (recording.state === 'deleted') return drop(deps, recording)
  if (recording.state === 'stored')
    return recording.sha256 === file.sha256 ? finish(deps, recording) : { kind: 'elsewhere' }
  const now = deps.clock.now()
  if (recording.endedAt === undefined) {
    const call = await deps.knownCalls.read(recording.domain, recording.uuid)
    if (call?.state === 'up') return { kind: 'recording' }
    await deps.recordings.expect({ ...recording, endedAt: now })
  }
  const by = `upload:${file.sha256}`
  const claimed = await deps.recordings.claim(recording, by, { now, until: now + uploadClaimMs })
  return claimed === undefined ? { kind: 'elsewhere' } : takeParts(deps, claimed, { file, by, type })
}

/**
 * Finds the recording of a file: by its folder's domain and the call that it is named after, else by its name in that
 * domain. If the folder is no domain, any domain counts, unless two domains recorded into a file of this name. The last
 * recording counts, because it overwrote the earlier ones in the file.
 */
async function findOffered({ domains, recordings }: UploadDeps, file: OfferedFile): Promise<Recording | undefined> {
  const named = file.domain === '' ? [] : await recordings.list(file.domain, callIdOf(file.uuid))
  const own = named.filter(({ name }) => name === file.name)
  if (own.length > 0) return own.at(-1)
  const ofFolder = file.domain === '' ? [] : await recordings.listByFile(file.name, file.domain)
  const isAnybodys = ofFolder.length === 0 && (await domains.read(file.domain)) === undefined
  const found = isAnybodys ? await recordings.listByFile(file.name) : ofFolder
  if (new Set(found.map(({ domain }) => domain)).size > 1) return undefined
  const lists = await Promise.all(found.map(({ domain, uuid }) => recordings.list(domain, uuid)))
  return lists
    .flat()
    .filter(({ name }) => name === file.name)
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .at(-1)
}

interface Taking {
  readonly file: OfferedFile
  readonly by: string
  readonly type: RecordingType
}

async function takeParts(deps: UploadDeps, recording: Recording, { file, by, type }: Taking): Promise<UploadState> {
  const { recordings, recordingFiles, clock } = deps
  const known = await partsOf(deps, recording)
  const upload = known?.upload ?? (await recordingFiles.beginUpload(recording.key, type))
  if (known === undefined && !(await recordings.renew(recording, by, clock.now() + uploadClaimMs, upload.uploadId))) {
    await recordingFiles.abortUpload(upload)
    return { kind: 'elsewhere' }
  }
  const wanted = wantedParts(file)
  const there = wanted.flatMap((part) => known?.parts.find((one) => isSamePart(one, part)) ?? [])
  if (there.length < wanted.length) {
    const missing = wanted.filter((part) => !there.some((one) => isSamePart(one, part)))
    const sign = async (part: LinkedPart) => ({
      number: part.number,
      size: part.size,
      ...(await recordingFiles.signPart(upload, part, linkSeconds)),
    })
    return { kind: 'upload', parts: await Promise.all(missing.map(sign)) }
  }
  if (!(await recordingFiles.completeUpload(upload, there))) throw storeAway('the upload is not known any more')
  const head = await recordingFiles.head(recording.key)
  if (head?.size !== file.size) throw storeAway('the object is not as long as its file')
  const object = {
    size: file.size,
    sha256: file.sha256,
    contentType: type,
    storedAt: clock.now(),
    incomplete: lackOf(recording, file),
  }
  const outcome = await recordings.markStored(recording, by, object)
  if (outcome === 'claim_lost') return { kind: 'elsewhere' }
  if (outcome === 'gone') return drop(deps, recording)
  return finish(deps, { ...recording, ...object, state: 'stored' })
}

/** Sound that a whole recording may lack, milliseconds. */
const toleratedMs = 1_000

/**
 * Returns what the sound of a recording lacks. A sample rate of its own makes the engine count wrongly: it holds no
 * more than its time.
 */
function lackOf(recording: Recording, { soundMs = Infinity, isUnfinished }: OfferedFile): string | undefined {
  const { completionCause = 'success', reportedMs = 0, startedAt, endedAt = Infinity } = recording
  if (!completionCause.startsWith('success')) return `the engine ended it with ${completionCause}`
  if (isUnfinished === true) return 'the engine ended during the recording'
  const wantedMs = Math.min(reportedMs, endedAt - startedAt)
  return soundMs < wantedMs - toleratedMs ? `it holds ${soundMs} ms of ${wantedMs} ms` : undefined
}

async function partsOf(
  { recordingFiles }: UploadDeps,
  { key, claim }: Recording,
): Promise<{ readonly upload: Upload; readonly parts: readonly UploadedPart[] } | undefined> {
  if (claim?.uploadId === undefined) return undefined
  const upload = { key, uploadId: claim.uploadId }
  const parts = await recordingFiles.listParts(upload)
  return parts && { upload, parts }
}

function wantedParts({ size, parts }: OfferedFile): LinkedPart[] {
  return parts.map((sha256, at) => ({ number: at + 1, size: Math.min(partBytes, size - at * partBytes), sha256 }))
}

function isSamePart(one: LinkedPart, other: LinkedPart): boolean {
  return one.number === other.number && one.size === other.size && one.sha256 === other.sha256
}

function typeOf({ name, size, parts }: OfferedFile): RecordingType {
  const type = recordingTypeOf(name)
  if (type === undefined) throw invalid('name', 'must end with .wav, .mp3, .mp4 or .pdf')
  const count = Math.ceil(size / partBytes)
  if (parts.length !== count) throw invalid('parts', `must be ${count} checksums for ${size} bytes, one for each 8 MiB`)
  return type
}

function invalid(field: string, problem: string): DomainError {
  return new DomainError('invalid_field', `${field} ${problem}`, { details: [{ field, problem }] })
}

function storeAway(problem: string): DomainError {
  return new DomainError('store_unavailable', `${problem}; send it again`)
}

/** Publishes the event and has the CDR show the recording. A call that is repeated publishes the same event. */
async function finish(deps: UploadDeps, recording: Recording): Promise<UploadState> {
  const { domains, events, cdrQueue, graceMs } = deps
  const { domain, startedAt, storedAt = startedAt } = recording
  if (isOfTenant(await domains.read(domain), startedAt, graceMs)) {
    const kinds = [
      'recording_stored',
      ...(recording.incomplete === undefined ? [] : (['recording_failed'] as const)),
    ] as const
    const refused = await events.publish(kinds.map((kind) => recordingEvent(kind, recording, storedAt)))
    if (refused.length > 0) throw storeAway('the event of the recording is not in its queue')
  }
  const update = recordingUpdate(recording)
  const refused = update === undefined ? [] : await cdrQueue.send([update])
  if (refused.length > 0) throw storeAway('the queue of CDRs did not take the update')
  // Last, because a lock that is refused keeps no event and no CDR waiting, and no other file either.
  try {
    await keepHold(deps, recording)
  } catch (problem) {
    return { kind: 'unlocked', problem }
  }
  return { kind: 'stored' }
}

async function drop({ recordingFiles }: UploadDeps, { key, claim }: Recording): Promise<UploadState> {
  if (claim?.uploadId !== undefined) await recordingFiles.abortUpload({ key, uploadId: claim.uploadId })
  await recordingFiles.remove(key)
  return { kind: 'deleted' }
}
