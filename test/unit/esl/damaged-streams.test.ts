/** Streams of good frames that were joined, cut, holed and altered, the same ones each time. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EslEventUnreadable, EslFramingLost } from '../../../packages/esl/errors.ts'
import { readEvent } from '../../../packages/esl/event.ts'
import { Incoming } from '../../../packages/esl/incoming.ts'
import { defaultEslLimits } from '../../../packages/esl/options.ts'
import { eventFrame } from '../../support/engine/engine-frames.ts'
import { recordedBytes, recordedFrames } from '../../support/engine/engine-recordings.ts'
import { fixed } from '../../support/records/hostile-text.ts'

/** Frames of every kind, as engines sent them. */
const sources = [
  'control/bgapi-originate',
  'control/bgapi-json',
  'events/sendevent-custom.json',
  'events/sendevent-custom.plain',
  'session/log-frames',
  'session/userauth-ok',
  'session/unknown-api',
  'subscribe/format-switch',
  'subscribe/myevents-inbound',
  'api/registrations',
]
const recorded = sources.flatMap((name) =>
  recordedFrames(name)
    .filter(({ hlen, blen }) => hlen + blen < 4000)
    .map(({ off, hlen, blen }) => recordedBytes(name).subarray(off, off + hlen + blen)),
)
const recordedEvents = recorded.filter((bytes) =>
  /^Content-Length: \d+\nContent-Type: text\/event-json/.test(bytes.toString()),
)

const headers = fc.dictionary(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }).filter((name) => !name.includes('\\')),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  { maxKeys: 6 },
)
const madeEvent = headers.map((given) => eventFrame({ 'Event-Name': 'MADE', ...given }))
const anyFrame = fc.oneof(fc.constantFrom(...recorded), madeEvent)

/** The frames of a stream, and how it ended. */
function read(bytes: Buffer, cuts: readonly number[] = []) {
  const result = { frames: new Array<string>(), events: new Array<string>(), unreadable: 0, isLost: false }
  const incoming = new Incoming(defaultEslLimits, ({ contentType, body, problem }) => {
    result.frames.push(`${contentType}|${problem}|${body.toString('latin1')}`)
    if (problem !== undefined || !contentType.startsWith('text/event-')) return
    try {
      const event = readEvent(contentType, body)
      result.events.push(JSON.stringify([event.name, event.headers(), event.body]))
    } catch (error) {
      if (!(error instanceof EslEventUnreadable)) throw error
      result.unreadable += 1
      incoming.doubt()
    }
  })
  let from = 0
  try {
    for (const to of [...cuts, bytes.length]) {
      const piece = Buffer.from(bytes.subarray(from, to))
      incoming.push(piece)
      // As the memory of a socket is, which the next bytes are read into.
      piece.fill(0)
      from = to
    }
  } catch (error) {
    if (!(error instanceof EslFramingLost)) throw error
    result.isLost = true
  }
  return result
}

const cutsOf = (places: readonly number[], length: number) =>
  places.map((place) => Math.floor(place * length)).toSorted((one, other) => one - other)

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 30 })

describe('good frames', () => {
  it('valid frames in any order and cut at any offsets are read unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { minLength: 1, maxLength: 8 }), places, (frames, cuts) => {
        const bytes = Buffer.concat(frames)
        const one = frames.flatMap((each) => read(each).frames)

        const { frames: joined, isLost } = read(bytes, cutsOf(cuts, bytes.length))

        expect(isLost).toBe(false)
        expect(joined).toEqual(one)
      }),
      fixed(400),
    )
  })
})

describe('a hole in a stream', () => {
  it('a damaged stream lets no event out that was not sent', () => {
    expect(recordedEvents.length).toBeGreaterThan(10)
    const sent = new Set(recordedEvents.flatMap((bytes) => read(bytes).events))
    const holes = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      fc.integer({ min: 1, max: 48 }),
    )
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...recordedEvents), { minLength: 2, maxLength: 4 }),
        holes,
        (some, [place, size]) => {
          const bytes = Buffer.concat(some)
          const at = Math.floor(place * bytes.length)
          const result = read(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]))

          expect(result.events.filter((event) => !sent.has(event))).toEqual([])
          expect(result.events.length).toBeLessThan(some.length)
        },
      ),
      fixed(1500),
    )
  })
})

describe('altered bytes', () => {
  const edit = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    fc.nat(40),
    fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom('\n', '\n\n', ': ', '"', '\\', '%', '}', '{', '\r', '\u0000', 'Content-Length: 5\n').map(toBytes),
      fc.constantFrom(...recorded),
    ),
  )

  it('altered bytes result in readable events, in skipped frames, or in a lost framing', () => {
    fc.assert(
      fc.property(
        fc.array(anyFrame, { minLength: 1, maxLength: 4 }),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        places,
        (frames, edits, cuts) => {
          let bytes = Buffer.concat(frames)
          for (const [place, removed, put] of edits) {
            const at = Math.floor(place * bytes.length)
            bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)])
          }
          const whole = read(bytes)

          expect(read(bytes, cutsOf(cuts, bytes.length))).toEqual(whole)
          expect(whole.events.length + whole.unreadable).toBeLessThanOrEqual(whole.frames.length)
        },
      ),
      fixed(2000),
    )
  })

  function toBytes(text: string): Buffer {
    return Buffer.from(text)
  }
})
