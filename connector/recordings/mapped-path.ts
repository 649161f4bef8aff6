import { basename } from 'node:path/posix'
import { type RecordingType, recordingTypeOf } from '../../core/recordings/recording-type.ts'
import { hasControls } from '../../core/text/control-characters.ts'

/** Why a file is never uploaded. */
export type RefusalReason =
  | 'outside the folder'
  | 'type not allowed'
  | 'not of its type'
  | 'too large'
  | 'not a file'
  | 'file of another domain'
  | 'file of another call'

/** A file that is not uploaded, now or later. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`a recording is refused: ${reason}`)
    this.reason = reason
  }
}

/** A path of the engine's that is longer is no recording of ours. */
export const maxPathLength = 1_024

const maxDepth = 16

/**
 * Returns the parts of an engine's path below `engineFolder`. Throws {@link FileRefused} for a path that is not below
 * it. A path with `.`, `..`, an empty part or a control character is refused wherever it would lead.
 */
export function mappedPath(path: string, engineFolder: string): readonly string[] {
  const start = engineFolder.endsWith('/') ? engineFolder : `${engineFolder}/`
  const rest = path.startsWith(start) ? path.slice(start.length) : ''
  const pieces = rest.split('/')
  const isPlain = pieces.every((piece) => piece !== '' && !piece.startsWith('.') && !piece.includes('\\'))
  if (!isPlain || path.length > maxPathLength || pieces.length > maxDepth || hasControls(path)) {
    throw new FileRefused('outside the folder')
  }
  return pieces
}

/** Returns the media type of a file's name. Throws {@link FileRefused} for any other name. */
export function typeOfFile(path: string): RecordingType {
  const type = recordingTypeOf(path)
  if (type === undefined) throw new FileRefused('type not allowed')
  return type
}

/** Returns the file's name without its folders, at most 255 characters: what clients call the recording. */
export function nameOfFile(path: string): string {
  return basename(path).slice(0, 255) || 'recording'
}
