import type { EngineEvent } from '../engine.ts'
import { InTurn } from './in-turn.ts'
import { SyntheticEvent } from './synthetic-event.ts'

/** An event that waits, and about what it takes of memory. */
export interface KeptEvent {
  readonly event: EngineEvent
  readonly bytes: number
}

/**
 * What an event counts as that is kept as it was read: it holds on to all that came with it from the socket, which is
 * 64 KiB at most and mostly shared with others.
 */
const asReadBytes = 16 * 1024

/** About what is known of a channel. */
const ownBytes = 2 * 1024

/** An event as it is, for a short wait. */
export function asRead(event: EngineEvent): KeptEvent {
  return { event, bytes: isOwn(event) ? ownBytes : asReadBytes }
}

/** An event read to its end, for a long wait: of what came with it from the socket nothing is held any more. */
export function readWhole(event: EngineEvent): KeptEvent {
  if (isOwn(event)) return asRead(event)
  const headers = event.headers()
  const { name, subclass, uuid, coreUuid, sequence, body } = event
  let bytes = 512 + body.length
  for (const [header, value] of Object.entries(headers)) bytes += header.length + Buffer.byteLength(value) + 48
  const header = (wanted: string) => (Object.hasOwn(headers, wanted) ? headers[wanted] : undefined)
  return { event: { name, subclass, uuid, coreUuid, sequence, body, header, headers: () => headers }, bytes }
}

/** What the connector made itself is told by its class, and holds nothing of the socket. */
function isOwn(event: EngineEvent): boolean {
  return event instanceof SyntheticEvent || event instanceof InTurn
}
