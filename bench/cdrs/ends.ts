import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { readEvent } from '@callplane/esl'
import type { EngineEvent } from '../../connector/runtime/engine.ts'

interface RecordedEnd {
  readonly bytes: Buffer
  readonly uuids: readonly number[]
  readonly domains: readonly number[]
}

const file = new URL('../../test/fixtures/freeswitch/bench/stream-json.out.gz', import.meta.url)
const recorded = recordedEnds()

/** Ends of legs as an engine reports them: the recorded ones, each time with other calls of another of ten domains. */
export function endOfLeg(number: number): EngineEvent {
  const end = recorded[number % recorded.length]
  if (end === undefined) throw new Error('no leg ends in the recording')
  const repetition = Math.floor(number / recorded.length)
  const bytes = Buffer.from(end.bytes)
  const digits = repetition.toString(16).padStart(8, '0')
  for (const at of end.uuids) bytes.write(digits, at, 'latin1')
  for (const at of end.domains) bytes.writeUInt8(48 + (repetition % 10), at)
  return readEvent('text/event-json', bytes)
}

/** Those of a busy engine's recording, each of them with the same first eight digits in all of its uuids. */
function recordedEnds(): RecordedEnd[] {
  const recording = gunzipSync(readFileSync(file))
  const heads = recording.toString('latin1').matchAll(/Content-Length: (\d+)\nContent-Type: text\/event-json\n\n/g)
  return Array.from(heads, (head) => {
    const from = head.index + head[0].length
    return recording.subarray(from, from + Number(head[1]))
  })
    .filter((bytes) => bytes.includes('"Event-Name":"CHANNEL_HANGUP_COMPLETE"'))
    .map((bytes) => ({
      bytes,
      uuids: placesOf(bytes, /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g),
      domains: placesOf(bytes, /(?<=tenant)1\./g),
    }))
}

function placesOf(bytes: Buffer, pattern: RegExp): number[] {
  return Array.from(bytes.toString('latin1').matchAll(pattern), ({ index }) => index)
}
