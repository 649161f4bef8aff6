import type { recordingTypes } from './recording.ts'

/** The media type of a recording. */
export type RecordingType = (typeof recordingTypes)[number]

/** The engine writes nothing of other endings that may be uploaded. */
const typeOfEnding: Readonly<Record<string, RecordingType>> = {
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
}

/** Returns the media type of a file's name; `undefined` for a name that is no recording's. */
export function recordingTypeOf(name: string): RecordingType | undefined {
  const ending = /[^/](\.[^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(typeOfEnding, ending) ? typeOfEnding[ending] : undefined
}
