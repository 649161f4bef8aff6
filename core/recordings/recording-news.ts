import type { RecordingNews } from '../cdr/cdr-news.ts'
import type { Recording } from './recording.ts'

/**
 * That the CDR of a recorded call is to show its recordings as they are now; nothing where the record does not tell
 * which CDR that is. To be queued after each change of state.
 */
export function recordingNews(recording: Recording): RecordingNews | undefined {
  const { domain, uuid, id, leg, createdTime, state } = recording
  if (leg === undefined || createdTime === undefined || uuid.length > 128) return undefined
  return { kind: 'recording', id: `recording:${uuid.slice(0, 36)}:${id}:${state}`, domain, uuid, leg, createdTime }
}
