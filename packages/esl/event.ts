import { EslEventUnreadable } from './errors.ts'

/**
 * One event of the engine. Bytes that are not UTF-8 read as U+FFFD. If a name occurs twice, the last value counts: a
 * sender of events can put its own before the engine's, never after.
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
  /** Every header. A list reads `ARRAY::a|:b`, a list of one as its only value. */
  headers(): Readonly<Record<string, string>>
  /**
   * Returns all headers with these changes as the text of a JSON object on one line, which is the engine's own text
   * with members added. `undefined` if that text says anything else: it has a body, a header that changes, or another
   * form.
   */
  jsonWith(changes: HeaderChanges): string | undefined
  /** The event's own body (a job's answer, a message's text), or the empty string. */
  readonly body: string
  /** About how many bytes of memory it takes. */
  readonly bytes: number
}

/** New values of headers by name; `undefined` removes the header. */
export type HeaderChanges = Readonly<Record<string, string | undefined>>

const OWN_BODY = '_body'

/** An engine nests one array in the object. The bound keeps a made-up body from exhausting the stack. */
const MAX_DEPTH = 32

/** An event without its text, and a header in addition to its characters, as measured. */
const HEAD_BYTES = 512
const HEADER_BYTES = 64

type Members = Readonly<Record<string, unknown>>

/**
 * Reads the body of a `text/event-json` frame; the event keeps its own copy. Throws EslEventUnreadable if the body is
 * no JSON object, and for any other format.
 */
export function readEvent(contentType: string, bytes: Buffer): EslEvent {
  const unreadable = (problem: string) => new EslEventUnreadable(contentType, bytes.length, problem)
  if (contentType !== 'text/event-json') throw unreadable('its format is not read here')
  // U+FFFD for bytes that are not UTF-8 cannot hide a quote, which is part of no sequence.
  const text = bytes.toString()
  const size = text.length === bytes.length ? text.length : 2 * text.length
  const members = membersOf(text)
  if (members === undefined) throw unreadable('it is no object')
  // Only an escape makes half of a surrogate pair.
  if (isOfTexts(members) && !text.includes('\\u')) return new JsonEvent(members, text, size)
  if (Object.values(members).some((value) => isDeeper(value, MAX_DEPTH))) throw unreadable('it is nested too deeply')
  const headers = Object.entries(members).map(([name, value]) => [name.toWellFormed(), textOf(value)] as const)
  return new JsonEvent(Object.fromEntries(headers), '', size)
}

class JsonEvent implements EslEvent {
  readonly name: string
  readonly subclass: string
  readonly uuid: string
  readonly coreUuid: string
  readonly sequence: string
  readonly body: string
  readonly #headers: Readonly<Record<string, string>>
  /** The engine's own text if it says just what the headers say, on one line; else empty. */
  readonly #text: string
  readonly #size: number

  /** `size` is what the characters of the text take of memory. */
  constructor(members: Readonly<Record<string, string>>, text: string, size: number) {
    const hasBody = Object.hasOwn(members, OWN_BODY)
    const { [OWN_BODY]: body = '', ...headers } = hasBody ? members : {}
    this.body = body
    this.#headers = hasBody ? headers : members
    const isPassed = !hasBody && text.startsWith('{"') && text.endsWith('"}') && !text.includes('\n')
    this.#text = isPassed ? text : ''
    this.#size = size
    this.name = this.header('Event-Name') ?? ''
    this.subclass = this.header('Event-Subclass') ?? ''
    this.uuid = this.header('Unique-ID') ?? ''
    this.coreUuid = this.header('Core-UUID') ?? ''
    this.sequence = this.header('Event-Sequence') ?? ''
  }

  header(name: string): string | undefined {
    return Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined
  }

  headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  jsonWith(changes: HeaderChanges): string | undefined {
    if (this.#text === '') return undefined
    const added: Record<string, string> = {}
    for (const [name, value] of Object.entries(changes)) {
      const present = this.header(name)
      if (present === value) continue
      if (present !== undefined || value === undefined) return undefined
      added[name] = value
    }
    const json = JSON.stringify(added)
    return json === '{}' ? this.#text : `${this.#text.slice(0, -1)},${json.slice(1)}`
  }

  /** The headers hold the characters of the text once more. */
  get bytes(): number {
    const copies = this.#text === '' ? 1 : 2
    return HEAD_BYTES + HEADER_BYTES * Object.keys(this.#headers).length + copies * this.#size
  }
}

function membersOf(text: string): Members | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return isObject(value) ? value : undefined
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOfTexts(members: Members): members is Readonly<Record<string, string>> {
  for (const name in members) if (typeof members[name] !== 'string') return false
  return true
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}

/** Returns a value as a header has it: a list as `ARRAY::a|:b`, a list of one as its only value. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  if (!Array.isArray(value)) return JSON.stringify(value)
  const items = value.map(textOf)
  return items.length > 1 ? `ARRAY::${items.join('|:')}` : (items[0] ?? '')
}
