import { readFileSync, readdirSync } from 'node:fs'
import type { EslEvent } from '@callplane/esl'
import { recordingNames } from '../engine/engine-recordings.ts'
import { recordedEslEvents } from '../engine/recorded-events.ts'

const folder = new URL('../../fixtures/freeswitch/cdr-json/', import.meta.url)

/** A CDR post as a real engine sent it. */
export interface RecordedPost {
  /** Such as `bridged-hangup-by-caller-1`. */
  readonly name: string
  /** The uuid of the query. */
  readonly uuid: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Every recorded CDR post, by name. */
export function recordedPosts(): RecordedPost[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.http'))
    .toSorted()
    .map((file) => recordedPost(file.slice(0, -'.http'.length)))
}

/** The recorded post of a name. */
export function recordedPost(name: string): RecordedPost {
  const bytes = readFileSync(new URL(`${name}.http`, folder))
  const end = bytes.indexOf('\r\n\r\n')
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const uuid = /[?&]uuid=([^ &]*)/.exec(requestLine)?.[1] ?? ''
  return { name, uuid, headers: Object.fromEntries(headers), body: bytes.subarray(end + 4) }
}

/** Every `CHANNEL_HANGUP_COMPLETE` of the recordings in JSON and in plain text, with the name of its recording. */
export function recordedEnds(): { readonly name: string; readonly event: EslEvent }[] {
  const names = recordingNames().filter((name) => !name.startsWith('bench/') && !name.endsWith('.xml'))
  return names.flatMap((name) =>
    recordedEslEvents(name)
      .filter((event) => event.name === 'CHANNEL_HANGUP_COMPLETE')
      .map((event) => ({ name, event })),
  )
}
