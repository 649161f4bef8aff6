import * as z from 'zod/mini'
import { endOf } from '../../../core/recordings/recording-changes.ts'
import type { RecordedLeg } from '../../../core/recordings/recording-store.ts'
import type { Recording, RecordingKey } from '../../../core/recordings/recording.ts'
import { keptUntil } from '../../retention.ts'
import { expirySeconds } from '../items.ts'
import { joinKey, numberPart, shardOf } from '../key.ts'

/** A stored recording. */
export const recordingItem = z.object({
  domain: z.string(),
  uuid: z.string(),
  id: z.string(),
  name: z.string(),
  key: z.string(),
  state: z.enum(['expected', 'stored', 'failed', 'deleted']),
  presenceId: z.optional(z.string()),
  leg: z.optional(z.enum(['a', 'b'])),
  createdTime: z.optional(z.number()),
  engine: z.optional(z.string()),
  path: z.optional(z.string()),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
  completionCause: z.optional(z.string()),
  reportedMs: z.optional(z.number()),
  closedAt: z.optional(z.number()),
  size: z.optional(z.number()),
  sha256: z.optional(z.string()),
  contentType: z.optional(z.string()),
  storedAt: z.optional(z.number()),
  incomplete: z.optional(z.string()),
  claim: z.optional(z.object({ by: z.string(), until: z.number(), uploadId: z.optional(z.string()) })),
  isHeld: z.boolean(),
  isRemoved: z.optional(z.boolean()),
  version: z.number(),
})

/** Returns the key of a recording: under its domain, by call and id. */
export function recordingItemKey({ domain, uuid, id }: RecordingKey) {
  return { pk: recordingPartition(domain), sk: joinKey(uuid, id) }
}

/** See {@link recordingItemKey}. */
export function recordingPartition(domain: string): string {
  return joinKey(domain)
}

/** The mark of a leg that may have recordings. */
export const recordedLegItem = z.object({ domain: z.string(), uuid: z.string() })

/** Returns the key of {@link recordedLegItem}. */
export function recordedLegKey({ domain, uuid }: RecordedLeg) {
  return { pk: joinKey('recorded', domain), sk: joinKey(uuid) }
}

/**
 * Returns the key of the mark of a leg that recorded into a file which is not named after it, by domain and beginning.
 */
export function recordedFileKey(name: string, { domain, uuid, startedAt }: RecordedLeg & Pick<Recording, 'startedAt'>) {
  return { pk: recordedFilePartition(name), sk: joinKey(domain, numberPart(startedAt), uuid) }
}

/** See {@link recordedFileKey}. */
export function recordedFilePartition(name: string): string {
  return joinKey('file', name)
}

/** Returns the index entries of expected recordings, by their end. */
export function overduePartition(shard: string): string {
  return joinKey('expected', shard)
}

/** Returns the index partition of deleted recordings whose object still exists, sorted by their deletion. */
export function doomedPartition(shard: string): string {
  return joinKey('doomed', shard)
}

/** Returns the index entries of stored recordings of a domain that are not held, by their beginning. */
export function storedPartition(domain: string): string {
  return joinKey('stored', domain)
}

/** Returns a recording as an item. One that failed, or whose object is removed, ends by itself. */
export function toRecordingItem(recording: Recording) {
  const end = keptUntil.recording(recording)
  return {
    ...recordingItemKey(recording),
    ...recording,
    ...indexKey(recording),
    ...(Number.isFinite(end) ? { expiresAt: expirySeconds(end) } : {}),
  }
}

function indexKey(recording: Recording) {
  const { domain, uuid, id, state, startedAt, closedAt = 0, isHeld, isRemoved } = recording
  const place = (gsi_pk: string, at: number) => ({ gsi_pk, gsi_sk: joinKey(numberPart(at), domain, uuid, id) })
  if (state === 'expected') return place(overduePartition(shardOf(uuid)), endOf(recording))
  if (state === 'stored' && !isHeld) return place(storedPartition(domain), startedAt)
  if (state === 'deleted' && isRemoved !== true) return place(doomedPartition(shardOf(uuid)), closedAt)
  return {}
}
