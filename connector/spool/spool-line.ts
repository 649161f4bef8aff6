import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import { eventMessage } from '../../contracts/messages/event.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'

/** An event as it stands in a spool file. */
export interface SpooledEvent {
  readonly event: PlatformEvent
  /** Rises from line to line of a file. */
  readonly number: number
  /** When the event was read from the engine, epoch milliseconds. */
  readonly takenAt: number
}

/** An event with the queue that it is for; the id of one for another queue is longer. */
const spooled = z.extend(eventMessage, {
  id: z.string().check(z.minLength(1), z.maxLength(160)),
  reader: z.optional(z.literal('cdr')),
})

/** `checksum number takenAt json`; JSON holds no line feed of its own. */
const form = /^([0-9a-f]{8}) ((\d{1,16}) (\d{1,16}) (\{.*\}))$/s

/** One line of a spool file, its line feed included. */
export function spoolLine({ event, number, takenAt }: SpooledEvent): Buffer {
  const text = `${number} ${takenAt} ${JSON.stringify({ version: 1, ...event })}`
  return Buffer.from(`${checksum(text)} ${text}\n`)
}

/** Reads a line without its line feed. `undefined` when it is not, byte for byte, what {@link spoolLine} wrote. */
export function readSpoolLine(line: Buffer): SpooledEvent | undefined {
  const [, sum, text = '', number, takenAt, json = ''] = form.exec(line.toString()) ?? []
  if (sum === undefined || sum !== checksum(text)) return undefined
  const { success, data } = spooled.safeParse(parsed(json))
  if (!success) return undefined
  const { version: _version, ...event } = data
  return { event, number: Number(number), takenAt: Number(takenAt) }
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
