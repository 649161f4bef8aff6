import { EslEventUnreadable } from './errors.ts'
import { jsonEventReader } from './json-event.ts'
import { DECIDING_HEADERS, type EslEvent } from './lazy-event.ts'
import { plainEventReader } from './plain-event.ts'

export type { EslEvent } from './lazy-event.ts'

/** Reads the events of a connection. */
export class EventReader {
  readonly #readers: ReadonlyMap<string, (bytes: Buffer) => EslEvent | string>

  /** `headers` are those that most events will be asked for: to ask for them costs nothing more than the reading. */
  constructor(headers: readonly string[] = []) {
    const names = [...new Set([...DECIDING_HEADERS, ...headers])].filter((name) => name !== '')
    this.#readers = new Map([
      ['text/event-json', jsonEventReader(names)],
      ['text/event-plain', plainEventReader(names)],
    ])
  }

  /**
   * Reads the body of a `text/event-json` or `text/event-plain` frame, of which the event keeps its own copy. Checks its
   * whole structure, decodes the deciding headers, and throws EslEventUnreadable when it is not what it should be.
   */
  read(contentType: string, bytes: Buffer): EslEvent {
    const read = this.#readers.get(contentType)
    if (!read) throw new EslEventUnreadable(contentType, bytes.length, 'its format is not read here')
    const event = read(bytes)
    if (typeof event === 'string') throw new EslEventUnreadable(contentType, bytes.length, event)
    return event
  }
}

const readers = new EventReader()

/** Reads one event as `EventReader` does, with its deciding headers only. */
export function readEvent(contentType: string, bytes: Buffer): EslEvent {
  return readers.read(contentType, bytes)
}
