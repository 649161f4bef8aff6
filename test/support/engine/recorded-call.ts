import { isEventName } from '../../../core/events/catalogue.ts'
import { recordedBytes, recordedFrames } from './engine-recordings.ts'

/** The values that replace the recorded call's own. */
export interface CallGiven {
  readonly coreUuid: string
  readonly uuid: string
  readonly domain: string
}

/** A call whose events are sent one after another, as a real engine sent them. */
export interface ReplayedCall {
  readonly uuid: string
  readonly domain: string
  /** How many of its events were sent. */
  readonly sent: number
  readonly isOver: boolean
  /** Its state in a list of channels: the one of its last event. */
  readonly callState: string
  /** The next event as its frame, at an epoch millisecond. `undefined` when all were sent. */
  next(sequence: number, now: number): { readonly name: string; readonly frame: Buffer } | undefined
}

/** A recorded call that can be replayed again and again. */
export interface RecordedCall {
  /** Its events' names in order. */
  readonly names: readonly string[]
  begin(given: CallGiven): ReplayedCall
}

/** A place of a template: one of the call's own values, or a time by the recorder's clock. */
type Slot = { readonly own: 'uuid' | 'domain' | 'coreUuid' | 'sequence' | 'now' } | { readonly time: string }

interface Template {
  readonly name: string
  readonly callState: string
  readonly parts: readonly (string | Slot)[]
}

/**
 * A call of a recording in JSON: those of its events that a hook can name, from the one on that names its domain. Each
 * event has the moment at which it is sent; the recorder's other times become those at which the events that had them
 * first are sent, so that all of a call's times agree.
 */
export function recordedCall(recording: string, domain: string): RecordedCall {
  const bytes = recordedBytes(recording)
  const all = recordedFrames(recording).flatMap(({ off, hlen, blen, event, uuid = '' }) =>
    event === undefined ? [] : [{ name: event, uuid, text: bytes.toString('utf8', off + hlen, off + hlen + blen) }],
  )
  const first = all.findIndex(({ text }) => text.includes(`@${domain}"`))
  const uuid = all[first]?.uuid ?? ''
  const templates = all
    .slice(first)
    .filter((event) => event.uuid === uuid && isEventName(event.name))
    .map(({ name, text }) => ({ name, callState: callStateIn(text), parts: partsOf(text, uuid, domain) }))
  return {
    names: templates.map(({ name }) => name),
    begin: (given) => new Replay(templates, given),
  }
}

/** Sixteen digits are microseconds since the epoch. */
const places = /"Event-Sequence":"\d+"|"Event-Date-Timestamp":"\d+"|"Core-UUID":"[^"]*"|\b\d{16}\b/g

function partsOf(text: string, uuid: string, domain: string): (string | Slot)[] {
  const parts: (string | Slot)[] = []
  const rest = (piece: string) => {
    for (const [index, byUuid] of piece.split(uuid).entries()) {
      if (index > 0) parts.push({ own: 'uuid' })
      for (const [index, plain] of byUuid.split(domain).entries()) {
        if (index > 0) parts.push({ own: 'domain' })
        parts.push(plain)
      }
    }
  }
  let from = 0
  for (const { 0: found, index } of text.matchAll(places)) {
    rest(text.slice(from, index))
    from = index + found.length
    if (found.startsWith('"Event-Sequence"')) parts.push('"Event-Sequence":"', { own: 'sequence' }, '"')
    else if (found.startsWith('"Event-Date-Timestamp"')) parts.push('"Event-Date-Timestamp":"', { own: 'now' }, '"')
    else if (found.startsWith('"Core-UUID"')) parts.push('"Core-UUID":"', { own: 'coreUuid' }, '"')
    else parts.push({ time: found })
  }
  rest(text.slice(from))
  return parts
}

function callStateIn(text: string): string {
  return /"Channel-Call-State":"([^"]*)"/.exec(text)?.[1] ?? 'DOWN'
}

class Replay implements ReplayedCall {
  readonly uuid: string
  readonly domain: string
  sent = 0
  readonly #templates: readonly Template[]
  readonly #coreUuid: string
  readonly #times = new Map<string, string>()

  constructor(templates: readonly Template[], { uuid, domain, coreUuid }: CallGiven) {
    this.#templates = templates
    this.uuid = uuid
    this.domain = domain
    this.#coreUuid = coreUuid
  }

  get isOver(): boolean {
    return this.sent === this.#templates.length
  }

  get callState(): string {
    return this.#templates[this.sent - 1]?.callState ?? 'DOWN'
  }

  next(sequence: number, now: number): { name: string; frame: Buffer } | undefined {
    const template = this.#templates[this.sent]
    if (template === undefined) return undefined
    this.sent += 1
    const own = { uuid: this.uuid, domain: this.domain, coreUuid: this.#coreUuid }
    const values = { ...own, sequence: `${sequence}`, now: `${now}000` }
    const body = template.parts
      .map((part) => (typeof part === 'string' ? part : this.#value(part, values, now)))
      .join('')
    const head = `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-json\n\n`
    return { name: template.name, frame: Buffer.from(`${head}${body}`) }
  }

  #value(slot: Slot, values: Readonly<Record<string, string>>, now: number): string {
    if ('own' in slot) return values[slot.own] ?? ''
    const known = this.#times.get(slot.time) ?? `${now}000`
    this.#times.set(slot.time, known)
    return known
  }
}
