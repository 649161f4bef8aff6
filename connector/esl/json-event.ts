import { type DecodedEvent, type EslEvent, type HeaderChanges, type HeaderValues, LazyEvent } from './lazy-event.ts'
import { endOfText, endOfValue, skipSpace, textOf, valueAt } from './json-text.ts'
import { pickUsual } from './usual-json.ts'
import { endOfMember, isPlainName, valueOfMember, withMembers, withoutMembers } from './usual-members.ts'
import { WantedHeaders } from './wanted-headers.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The member that holds the event's own body. */
const OWN_BODY = '_body'

/** A byte of a character that is not ASCII, in a text with a character for each byte. */
const beyondAscii = /[\x80-\xff]/

/** Returns a reader of `text/event-json` bodies that finds these headers in the same pass. */
export function jsonEventReader(names: readonly string[]): (bytes: Buffer) => EslEvent | string {
  const wanted = wantedInJson(names)
  return (bytes) => readJsonEvent(bytes, wanted)
}

/**
 * Reads a `text/event-json` body in one pass over its bytes, which decodes nothing but the wanted headers. It has to be
 * one JSON object that nothing follows. Of a repeated member the last counts.
 */
function readJsonEvent(bytes: Buffer, wanted: WantedHeaders): EslEvent | string {
  const text = bytes.toString('latin1')
  const usual = pickUsual(bytes, text, wanted)
  if (usual !== undefined) return new JsonEvent(wanted.indexes, usual, text, true)
  const picked = pick(bytes, wanted)
  return typeof picked === 'string' ? picked : new JsonEvent(wanted.indexes, picked, text, false)
}

/** The values of a few headers of any body, or what is wrong with it. */
function pick(bytes: Buffer, wanted: WantedHeaders): HeaderValues | string {
  const values: HeaderValues = []
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) return 'it is no object'
  at = skipSpace(bytes, at + 1)
  while (bytes[at] !== CLOSE_BRACE) {
    const keyEnd = bytes[at] === QUOTE ? endOfText(bytes, at + 1) : -1
    const colon = keyEnd < 0 ? -1 : skipSpace(bytes, keyEnd + 1)
    if (bytes[colon] !== COLON) return 'a member has no name'
    const start = skipSpace(bytes, colon + 1)
    const end = endOfValue(bytes, start)
    if (end < 0) return 'a member has no value'
    const index = indexOfKey(bytes, at, keyEnd + 1, wanted)
    if (index >= 0) values[index] = valueAt(bytes, start, end)
    at = skipSpace(bytes, end)
    if (bytes[at] === COMMA) {
      at = skipSpace(bytes, at + 1)
      if (bytes[at] !== QUOTE) return 'a member has no name'
    } else if (bytes[at] !== CLOSE_BRACE) return 'a member has no end'
  }
  return skipSpace(bytes, at + 1) === bytes.length ? values : 'something follows the object'
}

/** The index of the wanted name that a key is, quotes included, however it is spelled, or -1. */
function indexOfKey(bytes: Buffer, start: number, end: number, wanted: WantedHeaders): number {
  if (!bytes.subarray(start, end).includes(BACKSLASH)) return wanted.indexAt(bytes, start + 1, end - 1)
  return wanted.indexes.get(valueAt(bytes, start, end)) ?? -1
}

class JsonEvent extends LazyEvent {
  readonly #isUsual: boolean

  constructor(read: ReadonlyMap<string, number>, values: HeaderValues, text: string, isUsual: boolean) {
    super(read, values, text)
    this.#isUsual = isUsual
  }

  protected find(name: string): string | undefined {
    if (name === OWN_BODY) return undefined
    // Any other body is found out by reading it whole, which is kept.
    return this.#isUsual && isPlainName(name) ? this.#findUsual(name) : this.headers()[name]
  }

  protected decode(): DecodedEvent {
    // Bytes that are not UTF-8 become U+FFFD here; they cannot hide a quote, which is never part of a sequence.
    const members: Record<string, unknown> = JSON.parse(Buffer.from(this.text, 'latin1').toString('utf8'))
    // Only an escape makes half of a surrogate pair.
    const isWellFormed = !this.text.includes('\\u')
    return decodedMembers(members, isWellFormed) ?? decodedCopy(members)
  }

  override jsonWith(changes: HeaderChanges): string | undefined {
    // The platform leaves out a body that is empty, which only decoding shows.
    if (!this.#isUsual || this.text.includes(`"${OWN_BODY}":"`)) return undefined
    const left = withoutMembers(this.text, Object.keys(changes))
    return withMembers(beyondAscii.test(left) ? Buffer.from(left, 'latin1').toString('utf8') : left, changes)
  }

  #findUsual(name: string): string | undefined {
    const start = valueOfMember(this.text, name)
    if (start < 0) return undefined
    const bytes = Buffer.from(this.text.slice(start - 1, endOfMember(this.text, start) + 1), 'latin1')
    return valueAt(bytes, 0, bytes.length)
  }
}

/**
 * The object itself, where it has nothing but texts that need no change: a copy would cost more than the parsing.
 * `undefined` for any other, which is left as it was.
 */
function decodedMembers(members: Record<string, unknown>, isWellFormed: boolean): DecodedEvent | undefined {
  if (!isWellFormed || !isOfTexts(members) || OWN_BODY in members) return undefined
  Object.setPrototypeOf(members, null)
  return { headers: members, body: '' }
}

function isOfTexts(members: Record<string, unknown>): members is Record<string, string> {
  for (const name in members) if (typeof members[name] !== 'string') return false
  return true
}

function decodedCopy(members: Record<string, unknown>): DecodedEvent {
  const headers: Record<string, string> = Object.create(null)
  let body = ''
  for (const [name, value] of Object.entries(members)) {
    if (name === OWN_BODY) body = textOf(value)
    else headers[name.toWellFormed()] = textOf(value)
  }
  return { headers, body }
}

/** The headers of `names` as a pass over a JSON body looks for them. */
function wantedInJson(names: readonly string[]): WantedHeaders {
  return new WantedHeaders(names, (name) => JSON.stringify(name).slice(1, -1))
}
