/** Every byte that was recorded of real engines, in whatever pieces it arrives. */
import { describe, expect, it } from 'vitest'
import { EslEventUnreadable } from '../../../packages/esl/errors.ts'
import { readEvent } from '../../../packages/esl/event.ts'
import { type EslFrame, FrameReader } from '../../../packages/esl/frame.ts'
import { defaultEslLimits } from '../../../packages/esl/options.ts'
import { breadth, eachNth } from '../../support/breadth.ts'
import {
  framesOf,
  recordedBytes,
  recordedFacts,
  recordedFrames,
  recordingNames,
  seededCuts,
} from '../../support/engine/engine-recordings.ts'
import { eventsOf, recordedEslEvents } from '../../support/engine/recorded-events.ts'

/** A recording that is cut at each of its offsets. */
const isSmall = (name: string) => recordedBytes(name).length < 3000

const streams = ['bench/stream-json', 'bench/stream-plain']
const recordings = recordingNames().filter((name) => !streams.includes(name))

/** Headers of a frame besides its type and length. */
const frameHeaders = [
  'Reply-Text',
  'Job-UUID',
  'Content-Disposition',
  'Allowed-API',
  'Log-Level',
  'Controlled-Session-UUID',
]

describe('a recording', () => {
  it('every scenario of the engine lab has a recording', () => {
    expect(recordings).toHaveLength(122)
  })

  it.each(recordings)(
    'a recording is cut into the frames that the recorder saw, and each of them is understood: %s',
    (name) => {
      const frames = framesOf(recordedBytes(name))

      expect(outline(frames)).toEqual(
        recordedFrames(name).map(({ off, hlen, blen, type }) => ({ off, hlen, blen, type, problem: undefined })),
      )
      if (name.startsWith('outbound/')) return
      expect(frames.map((each) => each.header('Reply-Text'))).toEqual(recordedFrames(name).map(({ reply }) => reply))
    },
  )

  it.each(recordings)('a recording has the events that the recorder saw: %s', (name) => {
    const seen = recordedFrames(name).filter(({ type }) => /^text\/event-(?:json|plain)$/.test(type))

    expect(recordedEslEvents(name).map(({ name, subclass, uuid }) => [name, subclass, uuid])).toEqual(
      seen.map(({ event = '', subclass = '', uuid = '' }) => [event, subclass, uuid]),
    )
  })
})

describe('a recorded frame', () => {
  const framesIn = (name: string) => framesOf(recordedBytes(name))

  it('a recorded frame has its length before its type in an event, after it in a result, and none in a greeting or a reply', () => {
    const lines = (name: string) => recordedBytes(name).toString('latin1').split('\n\n')

    expect(lines('session/auth-ok-exit')[0]).toBe('Content-Type: auth/request')
    expect(lines('session/auth-ok-exit')[1]).toBe('Content-Type: command/reply\nReply-Text: +OK accepted')
    expect(recordedBytes('session/unknown-api').toString('latin1')).toMatch(
      /Content-Type: api\/response\nContent-Length: /,
    )
    expect(recordedBytes('subscribe/all').toString('latin1')).toMatch(/Content-Length: \d+\nContent-Type: text\/event-/)
  })

  it('the recorded response to `connect` consists of headers only, which stay percent-encoded', () => {
    const [answer] = framesIn('outbound/async-full-linger')

    expect(answer).toMatchObject({ contentType: 'command/reply', body: Buffer.alloc(0), problem: undefined })
    expect([answer?.header('Reply-Text'), answer?.header('Channel-HIT-Dialplan')]).toEqual(['%2BOK%0A', 'true'])
  })

  it("the recorded refusal of a restricted user's command is a reply, even to a command that is answered by a result", () => {
    const replies = framesIn('session/userauth-ok').map((each) => [each.contentType, each.header('Reply-Text')])

    expect(replies).toContainEqual(['command/reply', '-ERR permission denied'])
    expect(replies).toContainEqual(['api/response', undefined])
  })

  it('the text of a recorded reply is cut by the engine at 511 bytes', () => {
    const longest = framesIn('session/reply-truncation').map((each) => each.header('Reply-Text')?.length ?? 0)

    expect(Math.max(...longest)).toBe(511)
  })

  it('a recorded event is in the format that its connection had at that moment', () => {
    const types = new Set(framesIn('subscribe/format-switch').map(({ contentType }) => contentType))

    expect(types).toContain('text/event-plain')
    expect(types).toContain('text/event-json')
  })

  it('a recorded list without entries has no rows', () => {
    const bodies = framesIn('api/idle').map(({ body }) => body.toString())

    expect(bodies).toContain('{"row_count": 0}\n')
  })

  it.each(['xml', 'plain'])('a recorded event in the format %s, which is never asked for, is skipped', (format) => {
    const events = framesIn(`events/sendevent-custom.${format}`).filter(
      ({ contentType }) => contentType === `text/event-${format}`,
    )

    expect(events.length).toBeGreaterThan(10)
    for (const { contentType, body } of events) {
      expect(() => readEvent(contentType, body)).toThrow(EslEventUnreadable)
    }
  })
})

describe('the pieces in which a recording arrives make no difference', () => {
  it.each(eachNth(recordings, 2))(
    'a recording reads the same when it is cut within a frame and around it: %s',
    (name) => {
      const bytes = recordedBytes(name)

      for (const { from, to, cuts } of windowsOf(name)) {
        const window = bytes.subarray(from, to)
        const whole = contentsOf(window)
        for (const cut of eachNth(cuts, 7, from))
          expect(contentsOf(window, [cut - from]) === whole, `cut at ${cut}`).toBe(true)
      }
    },
  )

  it.each(eachNth(recordings, 2, 1))(
    'a recording reads the same byte by byte, and in pieces of any length: %s',
    (name) => {
      const bytes = recordedBytes(name)
      const whole = contentsOf(bytes)

      for (const longest of breadth([30, 1000], [1, 30, 1000, 10_000])) {
        expect(contentsOf(bytes, seededCuts(longest, bytes.length, longest)), `${longest}`).toBe(whole)
      }
    },
  )
})

describe('a stream of ten thousand events', () => {
  it.each(streams)(
    'a stream of ten thousand events is read to the last of them, in their order, whatever their sequence: %s',
    (name) => {
      const { frameCount, eventCounts } = recordedFacts(name)
      const bytes = recordedBytes(name)
      const counts: Record<string, number> = {}
      const ids = new Set<string>()
      const reader = new FrameReader(defaultEslLimits)
      let frames = 0
      let backwards = 0
      let last = 0
      let from = 0
      for (const to of [...seededCuts(1, bytes.length, 200_000), bytes.length]) {
        reader.push(bytes.subarray(from, to), ({ contentType, body }) => {
          frames += 1
          for (const { name, coreUuid, sequence } of eventsOf({ contentType, body })) {
            counts[name] = (counts[name] ?? 0) + 1
            ids.add(`${coreUuid}:${sequence}`)
            if (Number(sequence) < last) backwards += 1
            last = Number(sequence)
          }
        })
        from = to
      }

      expect(frames).toBe(frameCount)
      expect(counts).toEqual(eventCounts)
      expect(ids.size).toBe(Object.values(counts).reduce((sum, count) => sum + count, 0))
      expect(backwards).toBeGreaterThan(300)
      expect(reader.unfinished).toBeUndefined()
    },
  )
})

it('ten thousand events say in JSON what they say in the plain format, but for the percent signs that the latter loses', () => {
  const [json = [], plain = []] = streams.map((name) => recordedEslEvents(name))
  const differing = json.flatMap((event, index) => {
    const other = plain[index]?.headers() ?? {}
    const names = new Set([...Object.keys(event.headers()), ...Object.keys(other)])
    return [...names].filter((name) => event.header(name) !== other[name]).map((name) => event.header(name))
  })

  expect(json).toHaveLength(9_824)
  expect(new Set(differing)).toEqual(new Set(['weird_percent=100% sure %41 %zz %25', '100% sure %41 %zz %25']))
  expect(json.map(({ body }) => body)).toEqual(plain.map(({ body }) => body))
})

/**
 * For each frame: the bytes of it and its neighbour, and the offsets at which to cut them. A small recording is cut at
 * every offset, a larger one at every offset around a frame and at some within it.
 */
function windowsOf(name: string): { from: number; to: number; cuts: number[] }[] {
  const frames = recordedFrames(name)
  const seen: Record<string, number> = {}
  return frames.map(({ off, hlen, blen, type }, index) => {
    const next = frames[index + 1]
    const end = off + hlen + blen
    const to = next ? next.off + next.hlen + next.blen : end
    if (isSmall(name)) return { from: off, to, cuts: range(off + 1, Math.min(end + 4, to)) }
    seen[type] = (seen[type] ?? 0) + 1
    // Header blocks of one kind differ in their numbers only: the first few are cut everywhere.
    const head = seen[type] <= 3 ? range(off + 1, off + hlen + 8) : range(off + hlen - 2, off + hlen + 2)
    const within = seededCuts(index + 1, blen, blen).map((cut) => off + hlen + cut)
    const cuts = new Set([...head, ...within, ...range(end - 3, end + 4)].filter((cut) => cut > off && cut < to))
    return { from: off, to, cuts: [...cuts] }
  })
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, step) => from + step)
}

/** All that frames say, as one text, which is quicker to compare than a hundred objects. */
function contentsOf(bytes: Buffer, cuts: readonly number[] = []): string {
  return framesOf(bytes, cuts)
    .map((frame) => {
      const headers = frameHeaders.map((name) => frame.header(name))
      return [frame.contentType, frame.headerBytes, ...headers, frame.body.toString('latin1')].join('|')
    })
    .join('\n')
}

function outline(frames: readonly EslFrame[]) {
  let end = 0
  return frames.map(({ headerBytes, body, contentType, problem }) => {
    const off = end
    end += headerBytes + body.length
    return { off, hlen: headerBytes, blen: body.length, type: contentType, problem }
  })
}
