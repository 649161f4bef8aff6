import { type WireFrame, headersOf } from './simulator-harness.ts'

/**
 * The content of a frame that must be as recorded: everything, once identifiers, times, addresses and figures of load
 * are taken out. Of an event: its name, the names of its headers, and the values of those that say what happened.
 */
export interface FrameShape {
  readonly type: string
  readonly text: string
  /** Sorted; names that repeat stand as often. */
  readonly names?: readonly string[]
  readonly values?: Readonly<Record<string, string>>
  /** The leg that the event is of, by order of appearance; empty for none. */
  readonly leg?: string
}

/** Headers whose values must be as recorded. */
const comparedValues = [
  'Event-Name',
  'Event-Subclass',
  'Event-Calling-File',
  'Event-Calling-Function',
  'Event-Calling-Line-Number',
  'Channel-State',
  'Channel-Call-State',
  'Channel-State-Number',
  'Original-Channel-Call-State',
  'Channel-Call-State-Number',
  'Call-Direction',
  'Channel-HIT-Dialplan',
  'Answer-State',
  'Hangup-Cause',
  'Channel-Read-Codec-Name',
  'Caller-Direction',
  'Caller-Logical-Direction',
  'Caller-Caller-ID-Name',
  'Caller-Caller-ID-Number',
  'Caller-Callee-ID-Name',
  'Caller-Callee-ID-Number',
  'Caller-Destination-Number',
  'Caller-Context',
  'Caller-Source',
  'Caller-Profile-Index',
  'Other-Type',
  'Other-Leg-Caller-ID-Number',
  'Other-Leg-Callee-ID-Number',
  'Application',
  'Application-Response',
  'Direction',
  'Sent-Callee-ID-Number',
  'presence-call-info-state',
  'status',
  'event_count',
  'Playback-Status',
  'Media-Bug-Function',
  'Record-Completion-Cause',
  'auth-result',
  'API-Command',
  'API-Command-Argument',
  'Job-Command',
  'variable_direction',
  'variable_hangup_cause',
  'variable_hangup_cause_q850',
  'variable_originate_disposition',
  'variable_DIALSTATUS',
  'variable_originate_endpoint',
  'variable_endpoint_disposition',
  'variable_last_app',
  'variable_sip_hangup_disposition',
] as const

/** The shapes of frames in order. Legs are named by their first appearance, so that two calls compare. */
export function shapesOf(frames: readonly WireFrame[]): FrameShape[] {
  const legs = new Map<string, string>()
  return frames.map((frame) => shapeOf(frame, legs))
}

function shapeOf(frame: WireFrame, legs: Map<string, string>): FrameShape {
  const type = frame.headers.get('Content-Type') ?? ''
  const form = /^text\/event-(.*)$/.exec(type)?.[1]
  if (form === undefined) {
    const head = [...frame.headers].filter(([name]) => name !== 'Content-Length' && !name.startsWith('Log-Line'))
    return { type, text: normal(`${head.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${frame.body}`) }
  }
  const { pairs, body } =
    form === 'json' ? fromJson(frame.body) : form === 'xml' ? fromXml(frame.body) : fromPlain(frame.body)
  const values = new Map(pairs.toReversed())
  const uuid = values.get('Unique-ID') ?? ''
  if (uuid !== '' && !legs.has(uuid)) legs.set(uuid, `leg ${legs.size + 1}`)
  return {
    type,
    text: normal(body),
    names: pairs.map(([name]) => name).toSorted(),
    values: Object.fromEntries(
      comparedValues.flatMap((name) => {
        const value = values.get(name)
        return value === undefined ? [] : [[name, normal(value)]]
      }),
    ),
    leg: legs.get(uuid) ?? '',
  }
}

type Parsed = { readonly pairs: [string, string][]; readonly body: string }

/** Headers of a plain event, decoded. */
function fromPlain(text: string): Parsed {
  const end = text.indexOf('\n\n')
  const lines = text.slice(0, end).split('\n')
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), percentDecode(line.slice(colon + 2))]
  })
  return { pairs, body: text.slice(end + 2) }
}

/** Headers of a JSON event; keys that repeat stay, other than with `JSON.parse`. */
export function fromJson(text: string): Parsed {
  const member = /"((?:[^"\\]|\\.)*)":("(?:[^"\\]|\\.)*"|\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\])/g
  const pairs = [...text.matchAll(member)].map(([, name = '', value = '']): [string, string] => {
    const parsed: unknown = JSON.parse(value)
    return [JSON.parse(`"${name}"`), Array.isArray(parsed) ? parsed.join('|:') : String(parsed)]
  })
  const body = pairs.find(([name]) => name === '_body')?.[1] ?? ''
  return { pairs: pairs.filter(([name]) => name !== '_body'), body }
}

function fromXml(text: string): Parsed {
  const pairs = [...text.matchAll(/^ {4}<([^>]+)>([^<]*)<\//gm)].map(([, name = '', value = '']): [string, string] => [
    name,
    percentDecode(value),
  ])
  return { pairs, body: '' }
}

function percentDecode(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Text without what differs from run to run. */
function normal(text: string): string {
  if (/^Content-Type: api\/response\n\n(Event-Name: CHANNEL_DATA|\{"Event-Name")/.test(text)) return dumpShape(text)
  if (text.startsWith('Content-Type: api/response\n\n{"row_count":')) return rowShape(text)
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+ [\d.]+%)?/g, '<time>')
    .replace(/UP 0 years.*microseconds/g, 'UP <uptime>')
    .replace(/^\d+ session\(s\) (?!max).*$/gm, '<sessions>')
    .replace(/min idle cpu .*/g, 'min idle cpu <figures>')
    .replace(/sip:(\d+)@127\.0\.0\.1:\d+/g, 'sip:$1@<address>')
}

/** The names of the headers of a channel's dump, which is compared like an event. */
function dumpShape(text: string): string {
  const body = text.slice(text.indexOf('\n\n') + 2)
  const names = body.startsWith('{') ? fromJson(body).pairs.map(([name]) => name) : [...headersOf(body).keys()]
  return `channel dump: ${names.toSorted().join(' ')}`
}

/** The number of rows of a list, and their columns. */
function rowShape(text: string): string {
  const list: { row_count: number; rows?: object[] } = JSON.parse(text.slice(text.indexOf('{')))
  return `list of ${list.row_count}: ${Object.keys(list.rows?.[0] ?? {}).join(' ')}`
}
