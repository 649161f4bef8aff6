import type { RecordingStore } from '../../core/recordings/recording-store.ts'
import { recordingKey } from '../../core/recordings/recording.ts'
import type { Timers } from '../../core/concurrency/timers.ts'
import { type RecordingFacts, fileId } from './recording-facts.ts'

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
const unheard = 'unheard'

/**
 * Expects a recording of a call that was recorded but whose recording is unknown: no connector read where it was
 * written, so it will be reported as one that never arrived.
 */
export async function expectUnheard(
  store: Pick<RecordingStore, 'list' | 'expect'>,
  { domain, uuid, engine, presenceId, leg, createdTime, startedAt, endedAt }: RecordedCall,
): Promise<void> {
  if ((await store.list(domain, uuid)).length > 0) return
  const place = { domain, uuid, id: fileId({ domain, uuid, path: unheard }) }
  const key = recordingKey(place, startedAt)
  const known = { presenceId, leg, createdTime, engine, startedAt, endedAt }
  await store.expect({ ...place, name: 'recording', key, path: undefined, ...known })
}
