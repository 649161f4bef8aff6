import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import { messageOf } from '../../adapters/events/text-event.ts'
import { eventMessage } from '../../contracts/messages/event.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { type DropClass, dropOrder } from './drop-class.ts'

/** An event as it stands in a spool file. */
export interface SpooledEvent {
  readonly event: PlatformEvent
  /** When the event was read from the engine, epoch milliseconds. */
  readonly takenAt: number
  readonly dropClass: DropClass
}

/** The fields at the beginning of a line, which are read without the event. */
export interface LineHead {
  readonly dropClass: DropClass
  readonly takenAt: number
}

/** An event with the queue that it is for; the id of one for another queue is longer. */
const spooled = z.extend(eventMessage, {
  id: z.string().check(z.minLength(1), z.maxLength(160)),
  reader: z.optional(z.literal('cdr')),
})

/** `checksum class takenAt json`; JSON holds no line feed of its own. */
const form = /^([0-9a-f]{8}) ([123] \d{1,16} (\{.*\}))$/s

const headForm = /^[0-9a-f]{8} ([123]) (\d{1,16}) /

/** As long as a head can be. */
const headBytes = 29

/** The first byte of a line whose event was given up; no checksum begins so. */
export const erasedMark = 'x'

/** Returns one line of a spool file, its line feed included. */
export function spoolLine({ event, takenAt, dropClass }: SpooledEvent): Buffer {
  const { id, name, domain, uuid, occurredAt, requestId, reader } = event
  const json = messageOf({ version: 1, id, name, domain, uuid, occurredAt, requestId, reader }, event)
  const text = `${dropClass} ${takenAt} ${json}`
  return Buffer.from(`${checksum(text)} ${text}\n`)
}

/** Reads a line without its line feed. `undefined` when it is not, byte for byte, what {@link spoolLine} wrote. */
export function readSpoolLine(line: Buffer): SpooledEvent | undefined {
  const [, sum, text = '', json = ''] = form.exec(line.toString()) ?? []
  const head = headOf(line)
  if (head === undefined || sum !== checksum(text)) return undefined
  const { success, data } = spooled.safeParse(parsed(json))
  if (!success) return undefined
  const { version: _version, ...event } = data
  return { event, ...head }
}

/** Reads the beginning of a line. `undefined` when it is damaged or erased. */
export function headOf(line: Buffer): LineHead | undefined {
  const [, found, takenAt] = headForm.exec(line.toString('latin1', 0, headBytes)) ?? []
  const dropClass = dropOrder.find((one) => String(one) === found)
  return dropClass === undefined ? undefined : { dropClass, takenAt: Number(takenAt) }
}

/** Returns whether the event of a line was dropped. */
export function isErased(line: Buffer): boolean {
  return line[0] === erasedMark.charCodeAt(0)
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
