import { serviceEvent } from '../events/service-event.ts'
import type { PlatformEvent } from '../events/platform-event.ts'
import type { Recording } from './recording.ts'

/** The length of an event's id. The recording's own id is of its domain, call and file, and whole. */
const maxId = 128

/**
 * Returns the event that a recording is stored, or that it failed or is stored incomplete (`at`, epoch milliseconds).
 * Its id is derived from the recording, so that repeated events are equal.
 */
export function recordingEvent(
  kind: 'recording_stored' | 'recording_failed',
  recording: Recording,
  at: number,
): PlatformEvent {
  const { domain, uuid, id, name, presenceId, startedAt, size, sha256, contentType, incomplete } = recording
  const known = {
    'Channel-Presence-ID': presenceId,
    'Recording-Size': size?.toString(),
    'Recording-Content-Type': contentType,
    'Recording-SHA256': sha256,
    'Recording-Incomplete': incomplete,
  }
  return serviceEvent({
    kind,
    id: `${kind}:${id}:${domain}:${uuid}`.slice(0, maxId),
    domain,
    uuid,
    occurredAt: at,
    fields: {
      'Recording-Id': id,
      'Recording-Name': name,
      'Recording-Started': `${startedAt}`,
      ...Object.fromEntries(
        Object.entries(known).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
      ),
    },
  })
}
