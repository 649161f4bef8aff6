import type { RecordingUpdate } from '../cdr/cdr-update.ts'
import type { Recording } from './recording.ts'

/**
 * Returns the update that makes the CDR of a recorded call show its present recordings; nothing if the record does not
 * identify the CDR. To be queued after each change of state.
 */
export function recordingUpdate(recording: Recording): RecordingUpdate | undefined {
  const { domain, uuid, id, leg, createdTime, state } = recording
  if (leg === undefined || createdTime === undefined || uuid.length > 128) return undefined
  return { kind: 'recording', id: `recording:${uuid.slice(0, 36)}:${id}:${state}`, domain, uuid, leg, createdTime }
}
