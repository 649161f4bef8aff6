import { EslEventUnreadable } from './errors.ts'
import { decodeJson, pickJson, wantedInJson } from './json-body.ts'
import { decodePlain, pickPlain } from './plain-body.ts'
import { WantedHeaders } from './wanted-headers.ts'

/**
 * One event of the engine, read as far as it is asked for. The five deciding headers cost one pass over the bytes;
 * everything else is decoded when it is first wanted. Bytes that are not UTF-8 read as U+FFFD. Of a name given
 * twice the last counts: a sender of events can put its own in front, never behind the engine's.
 */
export interface EslEvent {
  /** `Event-Name`, or the empty string. */
  readonly name: string
  /** `Event-Subclass` of a CUSTOM event, or the empty string. */
  readonly subclass: string
  /** `Unique-ID` of the channel, or the empty string. */
  readonly uuid: string
  /** `Core-UUID` of the engine's process, or the empty string. */
  readonly coreUuid: string
  /** `Event-Sequence`, or the empty string. Identifies an event of one core; neither orders nor counts them. */
  readonly sequence: string
  /** The value of one header, its name exactly as the engine writes it. */
  header(name: string): string | undefined
  /** Every header, in an object without a prototype. A list reads `ARRAY::a|:b`, a list of one as its only value. */
  headers(): Readonly<Record<string, string>>
  /** The event's own body (a job's answer, a message's text), or the empty string. */
  readonly body: string
}

/** What there is to know of a way to write events. */
interface EventFormat {
  wanted(names: readonly string[]): WantedHeaders
  pick(bytes: Buffer, wanted: WantedHeaders): (string | undefined)[] | string
  decode(bytes: Buffer): { headers: Record<string, string>; body: string }
  /** The deciding headers. */
  readonly deciding: WantedHeaders
}

const DECIDING = ['Event-Name', 'Event-Subclass', 'Unique-ID', 'Core-UUID', 'Event-Sequence']

const FORMATS: ReadonlyMap<string, EventFormat> = new Map([
  ['text/event-json', { wanted: wantedInJson, pick: pickJson, decode: decodeJson, deciding: wantedInJson(DECIDING) }],
  [
    'text/event-plain',
    {
      wanted: (names) => new WantedHeaders(names),
      pick: pickPlain,
      decode: decodePlain,
      deciding: new WantedHeaders(DECIDING),
    },
  ],
])

/**
 * Reads the body of a `text/event-json` or `text/event-plain` frame, which must not be changed afterwards. Checks its
 * whole structure, decodes the deciding headers, and throws EslEventUnreadable when it is not what it should be.
 */
export function readEvent(contentType: string, body: Buffer): EslEvent {
  const format = FORMATS.get(contentType)
  if (!format) throw new EslEventUnreadable(contentType, body.length, 'its format is not read here')
  const deciding = format.pick(body, format.deciding)
  if (typeof deciding === 'string') throw new EslEventUnreadable(contentType, body.length, deciding)
  return new LazyEvent(format, body, deciding)
}

class LazyEvent implements EslEvent {
  readonly name: string
  readonly subclass: string
  readonly uuid: string
  readonly coreUuid: string
  readonly sequence: string
  readonly #format: EventFormat
  readonly #bytes: Buffer
  #decoded: ReturnType<EventFormat['decode']> | undefined

  constructor(format: EventFormat, bytes: Buffer, deciding: readonly (string | undefined)[]) {
    this.#format = format
    this.#bytes = bytes
    const [name = '', subclass = '', uuid = '', coreUuid = '', sequence = ''] = deciding
    this.name = name
    this.subclass = subclass
    this.uuid = uuid
    this.coreUuid = coreUuid
    this.sequence = sequence
  }

  header(name: string): string | undefined {
    if (this.#decoded) return this.#decoded.headers[name]
    const values = this.#format.pick(this.#bytes, this.#format.wanted([name]))
    return typeof values === 'string' ? undefined : values[0]
  }

  headers(): Readonly<Record<string, string>> {
    return this.#decode().headers
  }

  get body(): string {
    return this.#decode().body
  }

  #decode(): ReturnType<EventFormat['decode']> {
    this.#decoded ??= this.#format.decode(this.#bytes)
    return this.#decoded
  }
}
