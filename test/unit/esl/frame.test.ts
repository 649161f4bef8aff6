import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EslEventUnreadable, EslFramingLost } from '../../../packages/esl/errors.ts'
import { readEvent } from '../../../packages/esl/event.ts'
import { type EslFrame, FrameReader } from '../../../packages/esl/frame.ts'
import { framesOf, recordedBytes } from '../../support/engine/engine-recordings.ts'
import { fixed } from '../../support/records/hostile-text.ts'

const frame = (headers: string, body = '') => Buffer.from(`${headers}\n\n${body}`)
const apiResponse = (body: string) =>
  frame(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}`, body)

const roomy = { maxHeaderBytes: 1024, maxBodyBytes: 1024 }

describe('header lines', () => {
  it.each([
    ['CR LF line ends', 'Content-Type: api/response\r\nContent-Length: 3\r\n\r\nabc'],
    ['a name in lower case', 'content-type: api/response\ncontent-length: 3\n\nabc'],
    ['a length with leading zeros', 'Content-Type: api/response\nContent-Length: 00003\n\nabc'],
    ['no space after the colon', 'Content-Type:api/response\nContent-Length:3\n\nabc'],
    ['blank lines before the frame', '\n\r\n\nContent-Type: api/response\nContent-Length: 3\n\nabc'],
  ])('frames with %s are read, wherever they are cut', (_, text) => {
    const bytes = Buffer.from(text)

    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(framesOf(bytes, [cut]).map((each) => each.body.toString())).toEqual(['abc'])
    }
  })

  it('a header continues on the next line only in the text of a reply', () => {
    const [reply] = framesOf(frame('Content-Type: command/reply\nReply-Text: +OK one\ntwo'))

    expect(reply?.header('reply-text')).toBe('+OK one\ntwo')
  })

  it('percent-encoded headers of a frame are not decoded', () => {
    const [reply] = framesOf(frame('Content-Type: command/reply\nReply-Text: 100%25 %'))

    expect(reply?.header('Reply-Text')).toBe('100%25 %')
  })
})

describe('bytes that are no frames', () => {
  it.each([
    ['a greeting of another protocol', 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n'],
    ['a header block without a type', 'Content-Length: 3\n\nabc'],
    ['an invalid type', 'Content-Type: text\nContent-Length: 3\n\nabc'],
    ['a name that holds a quote', 'Content-Type: command/reply\n{"Event-Name":"x"}\n\n'],
    ['a reply that lost its type', 'Reply-Text: +OK accepted\n\n'],
    ['the rest of an event', 'Event-Name: HEARTBEAT\nCore-UUID: x\n\n'],
    ['a body without a length', 'Content-Type: text/event-plain\n\nEvent-Name: RE_SCHEDULE\n\n'],
    ['two lengths', 'Content-Type: api/response\nContent-Length: 3\nContent-Length: 4\n\nabcd'],
    ['a header line without a colon', 'Content-Type: command/reply\nJob-UUID: x\nabc\n\n'],
    ['a length over the limit', 'Content-Type: api/response\nContent-Length: 1025\n\n'],
    ['a header block over the limit', `Content-Type: command/reply\nX: ${'x'.repeat(1024)}\n\n`],
    ['a header block over the limit without an end', 'x'.repeat(1025)],
  ])('a stream with %s is not trusted any more', (_, text) => {
    for (const piece of [text.length, 7]) {
      const reader = new FrameReader(roomy)
      const feed = () => {
        for (let at = 0; at < text.length; at += piece) reader.push(Buffer.from(text.slice(at, at + piece)), unexpected)
      }

      expect(feed).toThrow(EslFramingLost)
      expect(() => reader.push(apiResponse('later'), unexpected)).toThrow(EslFramingLost)
    }
  })

  it('bytes that are no frames let no event out that the engine did not send, whichever byte is missing', () => {
    const bytes = Buffer.concat([apiResponse('x'), anEvent('1'), anEvent('2'), apiResponse('y')])
    const sent = eventsUntilLost(bytes)

    for (let missing = 0; missing < bytes.length; missing += 1) {
      const damaged = Buffer.concat([bytes.subarray(0, missing), bytes.subarray(missing + 1)])
      for (const event of eventsUntilLost(damaged)) expect(sent, `byte ${missing}`).toContainEqual(event)
    }
    expect(sent).toHaveLength(2)
  })

  it('bytes that are no frames make a reader throw its own error only', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
        const reader = new FrameReader(roomy)
        try {
          for (const piece of pieces) reader.push(Buffer.from(piece), () => {})
        } catch (error) {
          expect(error).toBeInstanceOf(EslFramingLost)
        }
      }),
      fixed(100),
    )
  })
})

describe('a frame that is not understood', () => {
  it.each([
    ['a kind that is not known', 'Content-Type: text/event-new\nContent-Length: 3\n\nabc', 'text/event-new', 3],
    ['a kind that is not known and has no body', 'Content-Type: text/pong\n\n', 'text/pong', 0],
    ['no type, and nothing else that an engine writes', 'X-Unknown: 1\n\n', '', 0],
    ['a length in another notation', 'Content-Type: api/response\nContent-Length: 1e3\n\n', 'api/response', 0],
    ['a negative length', 'Content-Length: -5\nContent-Type: log/data\n\n', 'log/data', 0],
    ['a length without digits', 'Content-Length: \nContent-Type: text/event-json\n\n', 'text/event-json', 0],
    [
      'a length of 16 digits',
      'Content-Length: 1000000000000000\nContent-Type: text/event-json\n\n',
      'text/event-json',
      0,
    ],
    ['an invalid length', 'Content-Length: abc\nContent-Type: text/event-json\n\n', 'text/event-json', 0],
  ])('a frame that is not understood is reported as skipped, and the next one is read: %s', (_, text, type, bytes) => {
    const stream = Buffer.concat([Buffer.from(text), apiResponse('next')])

    for (let cut = 1; cut < stream.length; cut += 1) {
      const [odd, next, ...others] = framesOf(stream, [cut])

      expect([odd?.contentType, odd?.body.length]).toEqual([type, bytes])
      expect(odd?.problem).toMatch(/^its? [a-zA-Z -]+$/)
      expect([next?.problem, next?.body.toString(), others]).toEqual([undefined, 'next', []])
    }
  })
})

describe('a body', () => {
  it("the length of a frame's body counts bytes, not characters", () => {
    expect(framesOf(apiResponse('Jürgen 日本 😀')).map((each) => each.body.toString())).toEqual(['Jürgen 日本 😀'])
  })

  it('the body of a frame may look like a frame itself', () => {
    const inner = apiResponse('inner').toString()

    expect(framesOf(apiResponse(inner)).map((each) => each.body.toString())).toEqual([inner])
  })

  it('a body of exactly the maximum size is returned whole', () => {
    const reader = new FrameReader(roomy)
    const frames: EslFrame[] = []

    reader.push(apiResponse('x'.repeat(1024)), (each) => frames.push(each))

    expect(frames.map((each) => each.body.length)).toEqual([1024])
  })
})

describe('a stream that stops inside a frame', () => {
  it.each([
    ['between two frames', apiResponse('abc').length, undefined],
    ['in a header block', 10, { part: 'header', bytes: 10 }],
    ['in a body', apiResponse('abc').length - 1, { part: 'body', bytes: 2 }],
  ])('a stream that stops inside a frame is reported: %s', (_, length, expected) => {
    const reader = new FrameReader(roomy)

    reader.push(apiResponse('abc').subarray(0, length), () => {})

    expect(reader.unfinished).toEqual(expected)
  })

  it("the part of an event before the engine's disconnect notice is reported as an unfinished frame", () => {
    const reader = new FrameReader(roomy)
    const frames: EslFrame[] = []

    // The recording begins inside an event.
    const tail = recordedBytes('session/killed-for-lost-events.tail')
    reader.push(tail.subarray(tail.indexOf('Content-Length')), (each) => frames.push(each))

    expect(frames.length).toBeGreaterThan(5)
    expect(reader.unfinished).toEqual({ part: 'body', bytes: 453 })
  })
})

function anEvent(sequence: string): Buffer {
  const body = JSON.stringify({
    'Event-Name': 'MESSAGE',
    'Event-Sequence': sequence,
    'Content-Length': '4',
    _body: 'text',
  })
  return frame(`Content-Length: ${body.length}\nContent-Type: text/event-json`, body)
}

/** The events of a stream until it is given up. */
function eventsUntilLost(bytes: Buffer): object[] {
  const reader = new FrameReader(roomy)
  const events: object[] = []
  try {
    reader.push(bytes, ({ contentType, body }) => {
      if (!contentType.startsWith('text/event-')) return
      try {
        const event = readEvent(contentType, body)
        events.push({ name: event.name, ...event.headers(), body: event.body })
      } catch (error) {
        expect(error).toBeInstanceOf(EslEventUnreadable)
      }
    })
  } catch (error) {
    expect(error).toBeInstanceOf(EslFramingLost)
  }
  return events
}

function unexpected(each: EslFrame): void {
  throw new Error(`a ${each.contentType} frame came out`)
}
