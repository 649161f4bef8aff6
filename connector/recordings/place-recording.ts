import { basename } from 'node:path/posix'
import type { RecordingStore } from '../../core/recordings/recording-store.ts'
import { type RecordingPlace, recordingKey } from '../../core/recordings/recording.ts'
import { type RecordingFacts, fileId } from './recording-facts.ts'

const idLength = 22

/**
 * Writes the record of a recording, or adds missing fields to it. If one call has several recordings in one file, the
 * known ends decide which one it is: connectors that read different events of it find the same record, however often
 * and in whatever order they report.
 */
export async function placeRecording(
  store: Pick<RecordingStore, 'list' | 'expect'>,
  facts: RecordingFacts,
): Promise<void> {
  const { domain, uuid, path, engine, presenceId, leg, createdTime, startedAt, endedAt, completionCause, reportedMs } =
    facts
  const file = fileId(facts)
  const ofFile = (await store.list(domain, uuid))
    .filter(({ id }) => id.startsWith(file))
    .sort((a, b) => numberOf(a, file) - numberOf(b, file))
  const at = facts.isStartTold ? startedAt : (endedAt ?? startedAt)
  const known = ofFile.find((one) => one.endedAt === undefined || one.endedAt >= at)
  const last = ofFile.at(-1)
  const next = last === undefined ? 1 : numberOf(last, file) + 1
  const place = { domain, uuid, id: known?.id ?? (next === 1 ? file : `${file}-${next}`) }
  await store.expect({
    ...place,
    name: basename(path).slice(0, 255) || 'recording',
    key: known?.key ?? recordingKey(place, startedAt),
    presenceId,
    leg,
    createdTime,
    engine,
    path,
    startedAt,
    endedAt,
    completionCause,
    reportedMs,
  })
}

/** 1 for the first recording in a file, 2 for the one that replaced it. */
function numberOf({ id }: Pick<RecordingPlace, 'id'>, file: string): number {
  return id === file ? 1 : Number(id.slice(idLength + 1))
}
