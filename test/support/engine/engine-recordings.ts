import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { FrameReader, type EslFrame } from '../../../packages/esl/frame.ts'
import { defaultEslLimits } from '@callplane/esl'

const folder = new URL('../../fixtures/freeswitch/', import.meta.url)

/** How the recorder, which is independent of this project, has split a recording into frames. */
export interface RecordedFrame {
  readonly off: number
  readonly hlen: number
  readonly blen: number
  readonly type: string
  readonly reply?: string
  readonly event?: string
  readonly subclass?: string
  readonly uuid?: string
}

/**
 * The names of all recordings of what engines sent, such as `session/auth-ok-exit`, but of those cut at their start.
 */
export function recordingNames(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .flatMap((file) => /^(.*)\.out(?:\.gz)?$/.exec(file)?.[1] ?? [])
    .filter((name) => !name.endsWith('.tail'))
    .toSorted()
}

/** The bytes that a real engine sent, such as those of `session/auth-ok-exit`. */
export function recordedBytes(name: string): Buffer {
  const file = new URL(`${name}.out`, folder)
  return existsSync(file) ? readFileSync(file) : gunzipSync(readFileSync(new URL(`${name}.out.gz`, folder)))
}

/** The recorder's own split of a recording; none of the two long streams. */
export function recordedFrames(name: string): readonly RecordedFrame[] {
  return recordedFacts(name).frames ?? []
}

/** The recorder's notes about a recording. */
export function recordedFacts(name: string): {
  readonly frames?: readonly RecordedFrame[]
  readonly frameCount?: number
  readonly eventCounts?: Readonly<Record<string, number>>
} {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
}

/** The frames of bytes that arrive in pieces which end at `cuts`, ascending. */
export function framesOf(bytes: Buffer, cuts: readonly number[] = []): EslFrame[] {
  const reader = new FrameReader(defaultEslLimits)
  const frames: EslFrame[] = []
  let from = 0
  for (const to of [...cuts, bytes.length]) {
    // A copy, as from a socket: a reader that keeps a view of what it was given is found out.
    reader.push(Buffer.from(bytes.subarray(from, to)), (frame) => frames.push(frame))
    from = to
  }
  return frames
}

/** Places at which to cut `length` bytes, other ones for each seed, 1 to `longest` bytes apart. */
export function seededCuts(seed: number, length: number, longest: number): number[] {
  const cuts: number[] = []
  let state = seed
  for (let at = 0; at < length; ) {
    // Numerical Recipes' linear congruential generator: plain, and the same everywhere.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    at += 1 + ((state >>> 8) % longest)
    if (at < length) cuts.push(at)
  }
  return cuts
}
