/** Bytes that no engine should send, sample by sample: what each costs, and that the next event is delivered. */
import { describe, expect, it } from 'vitest'
import { EslEventUnreadable, EslFramingLost } from '../../../packages/esl/errors.ts'
import { type EslEvent, readEvent } from '../../../packages/esl/event.ts'
import { type EslFrame, FrameReader } from '../../../packages/esl/frame.ts'
import { defaultEslLimits } from '../../../packages/esl/options.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { type Cases, eventFrame, frame, named, played } from '../../support/engine/engine-frames.ts'
import { seededCuts } from '../../support/engine/engine-recordings.ts'
import { eslBench } from '../../support/engine/esl-bench.ts'
import type { ScriptedPeer } from '../../support/engine/scripted-server.ts'

const { serving, session } = eslBench()
const samples = badInputs('engine-bytes')

describe('framing', () => {
  const cases: Cases = {
    'every byte in its own segment': () => {
      const bytes = Buffer.concat([named('A'), named('B')])
      expect(outcomeOf(bytes, seededCuts(1, bytes.length, 1))).toEqual({ names: ['A', 'B'], skipped: 0, isLost: false })
    },
    'blank line split between two segments': () => {
      const bytes = Buffer.concat([named('A'), named('B')])
      expect(outcomeOf(bytes, [bytes.indexOf('\n\n') + 1])).toEqual({ names: ['A', 'B'], skipped: 0, isLost: false })
    },
    'CR LF line ends': () =>
      reads('Content-Length: 18\r\nContent-Type: text/event-json\r\n\r\n{"Event-Name":"A"}', ['A']),
    'content-length in lower case': () =>
      reads('content-length: 18\ncontent-type: text/event-json\n\n{"Event-Name":"A"}', ['A']),
    'Content-Length: 0': () => reads('Content-Type: api/response\nContent-Length: 0\n\n', []),
    'Content-Length: 00012': () => reads('Content-Type: api/response\nContent-Length: 00012\n\nx\n\nContent-\n', []),
    'Content-Length: 1e3': () => reads('Content-Type: api/response\nContent-Length: 1e3\n\n', [], 1),
    'Content-Length one too large': () => loses(frame('text/event-json', '{"Event-Name":"A"}', 19)),
    'Content-Length in characters for a multi-byte body': () =>
      loses(frame('text/event-json', '{"Event-Name":"日本"}', 19)),
    'frame with no lines': () => reads('\n\n\r\n\n', []),
    'header block of 10 MiB without an end': () => {
      const reader = new FrameReader(defaultEslLimits)
      let taken = 0
      const flood = () => {
        for (; taken < 160; taken += 1) reader.push(Buffer.alloc(65_536, 'x'), () => {})
      }
      expect(flood).toThrow(EslFramingLost)
      expect(taken).toBe(1)
    },
    'body of 64 MiB (a large channel list)': () => {
      const reader = new FrameReader(defaultEslLimits)
      const lengths: number[] = []
      const take = ({ body }: EslFrame) => lengths.push(body.length)
      reader.push(Buffer.from('Content-Type: api/response\nContent-Length: 67108864\n\n'), take)
      for (let piece = 0; piece < 64; piece += 1) reader.push(Buffer.alloc(1024 * 1024), take)
      expect(lengths).toEqual([64 * 1024 * 1024])
    },
    'connection closed inside a header': () => endsAs('closed', (peer) => closing(peer, 'Content-Le')),
    'connection closed inside a body': () => endsAs('closed', (peer) => closing(peer, named('A').subarray(0, -1))),
    'no greeting for 30 s': async () => {
      await serving((peer) => peer.closed)
      const { isDown, time } = session()
      const down = isDown()
      await time.advance(5_000)
      expect(await down).toMatchObject({ reason: 'no-greeting' })
    },
    'greeting of another protocol': async () => {
      await serving((peer) => peer.send('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'))
      expect(await session().isDown()).toMatchObject({ reason: 'not-an-engine' })
    },
    'half-closed connection': () => endsAs('closed', (peer) => peer.end()),
    '1 byte a second': async () => {
      const bytes = named('A')
      let peer: ScriptedPeer | undefined
      await serving(async (ready) => {
        await ready.ready('ALL')
        peer = ready
      })
      const { link, ready, until, time, events } = session({ subscribe: ['ALL'] })
      await ready()
      for (const byte of bytes) {
        const before = link.counts.bytes
        peer?.send(Buffer.from([byte]))
        await until(() => link.counts.bytes > before)
        await time.advance(1000)
      }
      expect(events.map(({ name }) => name)).toEqual(['A'])
      expect(link.state.kind).toBe('ready')
    },
  }
  it.each(samples('framing'))('%s', (sample) => played(cases, sample))
})

describe('event bodies', () => {
  const own = 'x\n\nContent-Length: 4\nContent-Type: text/event-json\n\nabcd'
  const cases: Cases = {
    'body that contains a whole frame': () => {
      expect(readJson({ 'Event-Name': 'A', _body: own }).body).toBe(own)
      reads(eventFrame({ 'Event-Name': 'A', _body: named('B').toString() }), ['A'])
    },
    'event body after the event headers, with its own length': () =>
      expect(readJson({ A: 'x', 'Content-Length': '3', _body: 'a\nb' }).body).toBe('a\nb'),
    'own length larger than what is left': () =>
      expect(readJson({ 'Content-Length': '9', _body: 'ab' }).body).toBe('ab'),
    'own length in a value': () => expect(readJson({ A: 'Content-Length: 9', B: 'y' }).header('B')).toBe('y'),
    'JSON null': () => unreadable('null'),
    'JSON array': () => unreadable('["Event-Name"]'),
    'JSON with numbers for values': () => expect(readJson({ A: 12 }).header('A')).toBe('12'),
    'JSON with array values': () => expect(readJson({ A: ['a', 'b'] }).header('A')).toBe('ARRAY::a|:b'),
    'JSON with a repeated key': () => expect(event('{"Event-Name":"MADE_UP","Event-Name":"A"}').name).toBe('A'),
    'JSON cut in a surrogate pair': () => {
      unreadable(String.raw`{"Event-Name":"A","x":"\ud83d`)
      expect(event(String.raw`{"Event-Name":"A","x":"\ud83d"}`).header('x')).toBe('\uFFFD')
    },
    'plain line without a colon': () => skipsPlain('A: x\nno colon\nB: y\n\n'),
    'plain name with spaces': () => {
      skipsPlain('A name: x\n\n')
      expect(readJson({ 'A name': 'x' }).header('A name')).toBe('x')
    },
    'plain value with a colon and a space': () => {
      skipsPlain('A: b: c\n\n')
      expect(readJson({ A: 'b: c' }).header('A')).toBe('b: c')
    },
    'value %0a%0aContent-Length: 5': () => {
      verbatim('a%0a%0aContent-Length: 5')
      reads(eventFrame({ 'Event-Name': 'A', x: 'a\n\nContent-Length: 5' }), ['A'])
    },
    'value %E9 (not UTF-8)': () => verbatim('Jos%E9'),
    'value %C3 alone': () => verbatim('%C3'),
    'value %': () => verbatim('100%'),
    'value %zz': () => verbatim('%zz'),
    'value _undef_': () => verbatim('_undef_'),
    'name __proto__': () => harmless('__proto__'),
    'name constructor': () => harmless('constructor'),
    '20,000 headers': () => {
      const headers = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, 'v']))
      expect(readJson({ ...headers, 'Event-Name': 'A' }).name).toBe('A')
    },
    'one header of 1 MiB': () => {
      const value = 'y'.repeat(1024 * 1024)
      expect(readJson({ value, 'Event-Name': 'A' }).header('value')).toBe(value)
    },
    'raw byte 0xFF': () => expect(event(Buffer.from('{"A":"x\u00ff"}', 'latin1')).header('A')).toBe('x\uFFFD'),
  }
  it.each(samples('event bodies'))('%s', (sample) => played(cases, sample))
})

describe('events', () => {
  const cases: Cases = {
    'no Event-Name': () => reads(eventFrame({ 'Core-UUID': 'c' }), ['']),
    'unknown Event-Name': () => reads(named('A_NEW_EVENT'), ['A_NEW_EVENT']),
    'CUSTOM without a subclass': () => expect(readJson({ 'Event-Name': 'CUSTOM' }).subclass).toBe(''),
    'Event-Sequence that repeats': () => reads([sequenced('7'), sequenced('7')], ['7', '7']),
    'Event-Sequence that goes back (restart)': () => reads([sequenced('9'), sequenced('1')], ['9', '1']),
    'Core-UUID that changes (restart of the engine)': () => {
      const cores = ['one', 'two', 'one'].map((core) => readJson({ 'Core-UUID': core }).coreUuid)
      expect(cores).toEqual(['one', 'two', 'one'])
    },
    'domain variable absent': () =>
      expect(readJson({ 'Event-Name': 'A' }).header('variable_domain_name')).toBe(undefined),
    'hangup without a create': () => reads(named('CHANNEL_HANGUP'), ['CHANNEL_HANGUP']),
    'event name "__proto__"': () => reads(named('__proto__'), ['__proto__']),
  }
  it.each(samples('events'))('%s', (sample) => played(cases, sample))
})

/** The end of a stream, and whether the two events that follow it are delivered. */
function outcomeOf(bytes: Buffer, cuts: readonly number[] = []) {
  const outcome = { names: new Array<string>(), skipped: 0, isLost: false }
  const reader = new FrameReader(defaultEslLimits)
  let from = 0
  try {
    for (const to of [...cuts, bytes.length]) {
      reader.push(Buffer.from(bytes.subarray(from, to)), ({ contentType, body, problem }) => {
        if (problem !== undefined) outcome.skipped += 1
        else if (contentType.startsWith('text/event-')) {
          const read = readEvent(contentType, body)
          outcome.names.push(read.sequence || read.name)
        }
      })
      from = to
    }
  } catch (error) {
    if (error instanceof EslEventUnreadable) outcome.skipped += 1
    else if (!(error instanceof EslFramingLost)) throw error
    outcome.isLost = true
  }
  return outcome
}

/** The bytes are read, wherever they are cut, and so is what follows. */
function reads(given: string | Buffer | Buffer[], names: readonly string[], skipped = 0): void {
  const bytes = Buffer.concat([Array.isArray(given) ? Buffer.concat(given) : Buffer.from(given), named('LAST')])
  for (let cut = 1; cut < bytes.length; cut += 1) {
    expect(outcomeOf(bytes, [cut])).toEqual({ names: [...names, 'LAST'], skipped, isLost: false })
  }
}

/** The event is not read, and the connection is given up before anything that follows could be taken for an event. */
async function loses(bytes: Buffer): Promise<void> {
  await serving(async (peer) => {
    await peer.ready('ALL')
    peer.send(Buffer.concat([bytes, named('NEXT'), named('LAST')]))
  })
  const { link, isDown, events } = session({ subscribe: ['ALL'] })
  expect(await isDown()).toMatchObject({ reason: 'framing-lost' })
  expect(events).toEqual([])
  expect(link.counts.unreadableEvents).toBe(1)
}

async function endsAs(reason: string, ending: (peer: ScriptedPeer) => void): Promise<void> {
  await serving(async (peer) => {
    await peer.ready()
    ending(peer)
  })
  const { isDown, events } = session()
  expect(await isDown()).toMatchObject({ reason })
  expect(events).toEqual([])
}

function closing(peer: ScriptedPeer, last: string | Buffer): void {
  peer.send(last)
  peer.end()
}

function sequenced(sequence: string): Buffer {
  return eventFrame({ 'Event-Name': 'A', 'Event-Sequence': sequence })
}

function event(bytes: string | Buffer): EslEvent {
  return readEvent('text/event-json', Buffer.from(bytes))
}

function readJson(headers: object): EslEvent {
  return event(JSON.stringify(headers))
}

function unreadable(text: string): void {
  expect(() => event(text)).toThrow(EslEventUnreadable)
}

/** An event in the plain format, which is never asked for, is skipped whatever it says. */
function skipsPlain(text: string): void {
  expect(() => readEvent('text/event-plain', Buffer.from(text))).toThrow(EslEventUnreadable)
}

/** JSON has no percent encoding: such a value is what the engine wrote. */
function verbatim(value: string): void {
  expect(readJson({ A: value }).header('A')).toBe(value)
  expect(readJson({ A: value }).headers()).toEqual({ A: value })
}

/** A header of this name is one like any other. */
function harmless(name: string): void {
  const read = event(`{"${name}":"x","Event-Name":"A"}`)
  expect(read.header(name)).toBe('x')
  expect(readJson({ 'Event-Name': 'A' }).header(name)).toBeUndefined()
  expect(Object.entries(read.headers())).toContainEqual([name, 'x'])
  expect(Object.keys(Object.prototype)).toEqual([])
}
