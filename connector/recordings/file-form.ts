import type { RecordingType } from '../../core/recordings/recording-type.ts'
import { FileRefused } from './mapped-path.ts'

/** How many bytes of a file's beginning {@link isComplete} wants to see. */
export const formBytes = 16

/** How long the head of a WAV file is that the engine writes at first (`media/recording-in-progress.wav`). */
const wavHeadBytes = 44

/** The first bytes of the files of a type. */
const isOfType: Readonly<Record<RecordingType, (head: Buffer) => boolean>> = {
  'audio/wav': (head) => isText(head, 0, 'RIFF') && isText(head, 8, 'WAVE'),
  'audio/mpeg': (head) => isText(head, 0, 'ID3') || (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0),
  'video/mp4': (head) => isText(head, 4, 'ftyp'),
  'application/pdf': (head) => isText(head, 0, '%PDF-'),
}

/**
 * Returns whether a file of this many bytes is completely written, as far as its beginning shows. The engine writes the
 * lengths in the header of a WAV file when the recording stops; until then they are 0 and the samples are missing.
 * Throws {@link FileRefused} if the file does not begin like one of its type.
 */
export function isComplete(type: RecordingType, head: Buffer, size: number): boolean {
  if (size === 0 || head.length < Math.min(formBytes, size)) return false
  if (head.length < formBytes || !isOfType[type](head)) throw new FileRefused('not of its type')
  if (type !== 'audio/wav') return true
  const riffBytes = head.readUInt32LE(4)
  return size >= wavHeadBytes && riffBytes > 0 && riffBytes + 8 <= size
}

function isText(head: Buffer, at: number, text: string): boolean {
  return head.toString('latin1', at, at + text.length) === text
}
