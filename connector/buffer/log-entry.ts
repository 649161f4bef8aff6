import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import { type TextEvent, messageOf, textEvent } from '../../adapters/events/text-event.ts'
import { eventMessage } from '../../contracts/messages/event.ts'
import { lifeEvents } from '../calls/channel.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'
import { readEvent } from '@callplane/esl'
import { type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { type DropClass, dropClassOf, dropClasses } from './drops.ts'

/** An event of an engine, or one that was made in its place. */
export interface HeardContent {
  readonly engine: string
  readonly event: EngineEvent
  readonly own?: undefined
}

/** What waits: an event of an engine, or one of the platform, as it goes to the queue. */
export type LogContent = HeardContent | { readonly engine: ''; readonly event?: undefined; readonly own: TextEvent }

/** The facts of an entry that are read without its content. */
export interface EntryHead {
  readonly dropClass: DropClass
  /** When its event was read from the engine, epoch milliseconds. */
  readonly readAt: number
}

/** One entry of the log. */
export interface LogEntry extends EntryHead {
  readonly content: LogContent
  /** Its place among the entries of this process, from 1; 0 for one of an earlier process. */
  readonly number: number
}

const text = z.string()

/** A channel, as an event that stands for a missed one was made of it. */
const channel = z.object({
  uuid: text,
  engine: text,
  core: text,
  domain: text,
  presenceId: text,
  isAccountKnown: z.boolean(),
  requestId: text,
  changedAt: z.number(),
  callState: text,
  direction: text,
  callerName: text,
  callerNumber: text,
  calledNumber: text,
  createdAt: text,
  name: text,
  source: text,
  origin: text,
  proven: z.boolean(),
  heard: z.boolean(),
  unsureSince: z.optional(z.number()),
})

const madeEvent = z.object({ name: z.enum(lifeEvents), channel, at: z.number(), cause: text })

/** `checksum class readAt number kind engine json`; JSON has no line feed of its own. */
const form = /^([0-9a-f]{8}) ([123] \d{1,16} (\d{1,16}) (heard|made|own) (\S*) (\{.*\}))$/s

const headForm = /^[0-9a-f]{8} ([123]) (\d{1,16}) /

/** As long as a head can be. */
const headBytes = 29

/** Returns the class of some content. */
export function classOf({ event, own }: LogContent): DropClass {
  return dropClassOf(own ?? { name: eventNameOf(event), uuid: event.uuid })
}

/** Returns an entry as one line of a file, its line feed included. */
export function entryLine({ content, readAt, dropClass, number }: LogEntry): Buffer {
  const { kind, json } = textOf(content)
  const line = `${dropClass} ${readAt} ${number} ${kind} ${content.engine} ${json}`
  return Buffer.from(`${checksum(line)} ${line}\n`)
}

/** Reads a line without its line feed. `undefined` when it is not, byte for byte, what {@link entryLine} wrote. */
export function readEntry(line: Buffer): LogEntry | undefined {
  const head = headOf(line)
  const [, sum, rest = '', number, kind = '', engine = '', json = ''] = form.exec(line.toString()) ?? []
  if (head === undefined || sum !== checksum(rest)) return undefined
  const content = contentOf(kind, engine, json)
  return content === undefined ? undefined : { ...head, number: Number(number), content }
}

/** Reads the beginning of a line. `undefined` when it is damaged. */
export function headOf(line: Buffer): EntryHead | undefined {
  const [, found, readAt] = headForm.exec(line.toString('latin1', 0, headBytes)) ?? []
  const dropClass = dropClasses.find((one) => String(one) === found)
  return dropClass === undefined ? undefined : { dropClass, readAt: Number(readAt) }
}

function textOf({ event, own }: LogContent): { readonly kind: string; readonly json: string } {
  if (own !== undefined) {
    const { id, name, domain, uuid, occurredAt, requestId } = own
    return { kind: 'own', json: messageOf({ version: 1, id, name, domain, uuid, occurredAt, requestId }, own) }
  }
  if (event instanceof SyntheticEvent) {
    const { name, channel, at, cause } = event
    return { kind: 'made', json: JSON.stringify({ name, channel, at, cause }) }
  }
  const { body } = event
  const fields = body === '' ? event.headers() : { ...event.headers(), _body: body }
  return { kind: 'heard', json: event.jsonWith({}) ?? JSON.stringify(fields) }
}

function contentOf(kind: string, engine: string, json: string): LogContent | undefined {
  try {
    if (kind === 'heard') return { engine, event: readEvent('text/event-json', Buffer.from(json)) }
    if (kind === 'made') {
      const { name, channel, at, cause } = madeEvent.parse(JSON.parse(json))
      return { engine, event: new SyntheticEvent(name, { ...channel, unsureSince: channel.unsureSince }, at, cause) }
    }
    const { version: _version, ...event } = eventMessage.parse(JSON.parse(json))
    return { engine: '', own: textEvent(event) }
  } catch {
    return undefined
  }
}

function checksum(line: string): string {
  return crc32(line).toString(16).padStart(8, '0')
}
