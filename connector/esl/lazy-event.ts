/**
 * One event of the engine, read as far as it is asked for. The five deciding headers, and those that its reader was given
 * of, cost one pass over the bytes; everything else is decoded when it is first wanted. Bytes that are not UTF-8 read as U+FFFD. Of a name given
 * twice the last counts: a sender of events can put its own in front, never after the engine's.
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
  /**
   * Returns all headers as the text of a JSON object, with these replaced or, where `undefined`, left out. `undefined` for an event
   * whose own text is in another form or has a body: it has to be decoded for that.
   */
  jsonWith(changes: HeaderChanges): string | undefined
  /** The event's own body (a job's answer, a message's text), or the empty string. */
  readonly body: string
  /** About how many bytes of memory it takes now: more once all of it was decoded, which is kept together with its text. */
  readonly bytes: number
}

/** New values of headers by name; `undefined` removes the header. The names are words with hyphens. */
export type HeaderChanges = Readonly<Record<string, string | undefined>>

/** The headers that decide what becomes of an event: the first that are read of it. */
export const DECIDING_HEADERS = ['Event-Name', 'Event-Subclass', 'Unique-ID', 'Core-UUID', 'Event-Sequence'] as const

/** By the index of a header: whether most events have the same few values of it. */
export const REPEATING_HEADERS: readonly boolean[] = [true, true, false, true]

/** Values by the index of their header among those that were read, absent or `undefined` where the event has none. */
export type HeaderValues = (string | undefined)[]

/** Every header of an event, in an object without a prototype, and its own body. */
export interface DecodedEvent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An event without its text, as measured: the object, and the headers that were read of it. */
const HEAD_BYTES = 1024

/** Bytes per unit of a decoded text as soon as one unit is not Latin-1. */
const UNIT_BYTES = 2

/** A name and a value that were decoded: the heads of two strings and their places in an object. */
const MEMBER_BYTES = 80

/** A valid event of which only a few headers are decoded yet. */
export abstract class LazyEvent implements EslEvent {
  readonly name: string
  readonly subclass: string
  readonly uuid: string
  readonly coreUuid: string
  readonly sequence: string
  /** The source text, one character for each byte, each of which takes a byte of memory. */
  protected readonly text: string
  readonly #read: ReadonlyMap<string, number>
  readonly #values: HeaderValues
  #decoded: DecodedEvent | undefined

  /** `read` are the headers that were read, by their index; the deciding ones are first. */
  constructor(read: ReadonlyMap<string, number>, values: HeaderValues, text: string) {
    this.text = text
    this.#read = read
    this.#values = values
    this.name = values[0] ?? ''
    this.subclass = values[1] ?? ''
    this.uuid = values[2] ?? ''
    this.coreUuid = values[3] ?? ''
    this.sequence = values[4] ?? ''
  }

  protected abstract find(name: string): string | undefined

  protected abstract decode(): DecodedEvent

  header(name: string): string | undefined {
    const index = this.#read.get(name)
    if (index !== undefined) return this.#values[index]
    return this.#decoded ? this.#decoded.headers[name] : this.find(name)
  }

  headers(): Readonly<Record<string, string>> {
    return this.#whole().headers
  }

  jsonWith(_changes: HeaderChanges): string | undefined {
    return undefined
  }

  get body(): string {
    return this.#whole().body
  }

  get bytes(): number {
    let units = 0
    for (const value of this.#values) units += value?.length ?? 0
    const bytes = HEAD_BYTES + this.text.length + UNIT_BYTES * units
    return this.#decoded === undefined ? bytes : bytes + decodedBytes(this.#decoded)
  }

  #whole(): DecodedEvent {
    this.#decoded ??= this.decode()
    return this.#decoded
  }
}

function decodedBytes({ headers, body }: DecodedEvent): number {
  let bytes = UNIT_BYTES * body.length
  for (const [name, value] of Object.entries(headers)) bytes += MEMBER_BYTES + UNIT_BYTES * (name.length + value.length)
  return bytes
}
