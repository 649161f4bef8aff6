import { recordingEvent } from '../../core/recordings/recording-event.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { Recording } from '../../core/recordings/recording.ts'
import { hashOf, isSame } from './put-recording.ts'
import type { FileVersion, RecordingDisk } from './recording-disk.ts'

export interface FinishDeps {
  readonly disk: Pick<RecordingDisk, 'look' | 'open' | 'remove'>
  /** Hands an event to the queue; `false` if it may not be there and should be handed over again. */
  readonly tell: (event: PlatformEvent) => Promise<boolean>
  /** Has the CDR of the call show its recordings as they are now. */
  readonly noteInCdr: (recording: Recording) => Promise<void>
  /** Whether local files stay when they are stored. */
  readonly keepsFiles: boolean
}

/** The file of a recording, by the pieces of its path. */
export interface LocalFile {
  readonly pieces: readonly string[]
  /** How it was when this process stored it; absent when another one did. */
  readonly version: FileVersion | undefined
}

/** The event is not known to have arrived. */
class EventNotQueued extends Error {
  override readonly name = 'EventNotQueued'
}

/**
 * Finishes a stored recording: publishes its event, notes it in its CDR, and removes its file last. Every step may be repeated.
 * Throws {@link EventNotQueued}.
 */
export async function finishRecording(parts: FinishDeps, recording: Recording, local: LocalFile): Promise<void> {
  const { storedAt = 0 } = recording
  if (!(await parts.tell(recordingEvent('recording_stored', recording, storedAt)))) {
    throw new EventNotQueued('the event of a stored recording is not in its queue')
  }
  await parts.noteInCdr(recording)
  if (!parts.keepsFiles && (await isStored(parts, recording, local))) await parts.disk.remove(local.pieces)
}

/** Whether the file is the one that was stored: a further recording of the call may have gone into it since. */
async function isStored({ disk }: FinishDeps, recording: Recording, { pieces, version }: LocalFile): Promise<boolean> {
  if (version !== undefined) {
    const there = await disk.look(pieces)
    return there !== undefined && isSame(there, version)
  }
  const file = await disk.open(pieces)
  if (file === undefined) return false
  try {
    return file.size === recording.size && (await hashOf(file)) === recording.sha256
  } finally {
    await file.close()
  }
}
