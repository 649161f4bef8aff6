import { recordingEvent } from '../../core/recordings/recording-event.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { Recording } from '../../core/recordings/recording.ts'
import { hashOf, isSame } from './put-recording.ts'
import type { FileVersion, RecordingDisk } from './recording-disk.ts'

/** What finishing works with. */
export interface FinishParts {
  readonly disk: Pick<RecordingDisk, 'look' | 'open' | 'remove'>
  /** Hands an event to the queue; `false` when it is not known to be there, and should be told again. */
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
class NotTold extends Error {
  override readonly name = 'NotTold'
}

/**
 * What is left to do of a recording that is stored: its event, its CDR, and last its file. Every step may be repeated.
 * Throws {@link NotTold}.
 */
export async function finishRecording(parts: FinishParts, recording: Recording, local: LocalFile): Promise<void> {
  const { storedAt = 0 } = recording
  if (!(await parts.tell(recordingEvent('recording_stored', recording, storedAt)))) {
    throw new NotTold('the event of a stored recording is not in its queue')
  }
  await parts.noteInCdr(recording)
  if (!parts.keepsFiles && (await isStored(parts, recording, local))) await parts.disk.remove(local.pieces)
}

/** Whether the file is the one that was stored: a further recording of the call may have gone into it since. */
async function isStored({ disk }: FinishParts, recording: Recording, { pieces, version }: LocalFile): Promise<boolean> {
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
