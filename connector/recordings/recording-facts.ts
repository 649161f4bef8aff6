import { callIdOf } from '../../core/channels/call-id.ts'
import { createHash } from 'node:crypto'
import { accountIn } from '../../core/channels/leg.ts'
import type { Leg } from '../../core/cdr/cdr.ts'
import { legOf } from '../../core/cdr/end-fields.ts'
import type { Channel } from '../calls/channel.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { occurredAt } from '../events/platform-event.ts'
import type { RecordedCall } from './known-recordings.ts'

/** The facts of one recording of a call, from its events. */
export interface RecordingFacts {
  readonly domain: string
  /** The channel's uuid, lower case. */
  readonly uuid: string
  /** The file's path at the engine. */
  readonly path: string
  readonly engine: string
  readonly presenceId?: string | undefined
  readonly leg?: Leg | undefined
  /** Beginning of the channel, epoch milliseconds. */
  readonly createdTime?: number | undefined
  /** Epoch milliseconds by the engine's clock. */
  readonly startedAt: number
  /** Whether the engine reported the beginning; otherwise it is computed from the end. */
  readonly isStartTold: boolean
  /** Epoch milliseconds; absent while it goes on, as far as is known. */
  readonly endedAt?: number | undefined
  /**
   * How the engine ended it, and the sound that it counts, in milliseconds; absent while it goes on, and where no end
   * was reported.
   */
  readonly completionCause?: string | undefined
  readonly reportedMs?: number | undefined
}

/** The facts of one event. */
export type RecordingWord =
  | { readonly kind: 'start' | 'stop'; readonly facts: RecordingFacts }
  | {
      readonly kind: 'end'
      readonly uuid: string
      readonly at: number
      /** The facts of the call, if its last event says that it was recorded. */
      readonly recorded?: RecordedCall | undefined
    }

/** A longer path is not believed: the engine's own limit is 4096, that of its recordings 512. */
const maxPathLength = 1_024

/** The leg that an event is of: the engine that has it, and its account. */
export type HeardLeg = Pick<Channel, 'engine' | 'presenceId'>

/** Returns an event of a recording's life; `undefined` for any other, and for one that names no usable file. */
export function recordingWord(
  event: EngineEvent,
  domain: string,
  leg: HeardLeg,
  now: number,
): RecordingWord | undefined {
  const isEnd = event.name === 'CHANNEL_HANGUP_COMPLETE' || event.name === 'CHANNEL_DESTROY'
  if (!isEnd && event.name !== 'RECORD_START' && event.name !== 'RECORD_STOP') return undefined
  const at = occurredAt(event, now)
  const uuid = callIdOf(event.uuid)
  if (isEnd) return { kind: 'end', uuid, at, recorded: recordedCall(event, domain, leg, at) }
  const path = event.header('Record-File-Path') ?? ''
  if (path === '' || path.length > maxPathLength) return undefined
  const known = { ...callOf(event, domain, leg), path }
  if (event.name === 'RECORD_START') return { kind: 'start', facts: { ...known, startedAt: at, isStartTold: true } }
  const [reportedMs, cause = ''] = [recordedMs(event), event.header('Record-Completion-Cause')]
  const end = { endedAt: at, reportedMs, completionCause: /^[a-z-]{1,64}$/.test(cause) ? cause : undefined }
  return { kind: 'stop', facts: { ...known, startedAt: at - (reportedMs ?? 0), isStartTold: false, ...end } }
}

function callOf(event: EngineEvent, domain: string, { engine, presenceId }: HeardLeg) {
  return {
    domain,
    uuid: callIdOf(event.uuid),
    engine,
    presenceId: accountIn(domain, presenceId),
    leg: legOf(event.headers()),
    createdTime: epochOf(event.header('Caller-Channel-Created-Time')),
  }
}

/** The engine leaves how long it recorded with the channel. */
function recordedCall(event: EngineEvent, domain: string, leg: HeardLeg, at: number): RecordedCall | undefined {
  const ms = recordedMs(event)
  return ms === undefined ? undefined : { ...callOf(event, domain, leg), startedAt: at - ms, endedAt: at }
}

function recordedMs(event: EngineEvent): number | undefined {
  const ms = Number(event.header('variable_record_ms'))
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined
}

/**
 * Merges a further report on the same file of the same call. Reports may be repeated and arrive in any order. A
 * beginning or end that is later than the known end belongs to another recording in the same file.
 */
export function afterWord(
  before: RecordingFacts | undefined,
  { kind, facts }: Exclude<RecordingWord, { kind: 'end' }>,
): RecordingFacts {
  if (before === undefined) return facts
  const isOver = before.endedAt !== undefined
  if (kind === 'start') {
    if (isOver && facts.startedAt > (before.endedAt ?? 0)) return facts
    return before.isStartTold ? before : { ...before, startedAt: facts.startedAt, isStartTold: true }
  }
  if (isOver) return (facts.endedAt ?? 0) > (before.endedAt ?? 0) ? facts : before
  const isOfEarlier = before.isStartTold && (facts.endedAt ?? 0) < before.startedAt
  const { endedAt, completionCause, reportedMs } = facts
  return isOfEarlier ? before : { ...before, endedAt, completionCause, reportedMs }
}

/** Returns the name of a file of a call, the same in every report; 22 characters `[A-Za-z0-9_-]`. */
export function fileId({ domain, uuid, path }: Pick<RecordingFacts, 'domain' | 'uuid' | 'path'>): string {
  return createHash('sha256')
    .update(JSON.stringify([domain, uuid, path]))
    .digest('base64url')
    .slice(0, 22)
}

function epochOf(microseconds: string | undefined): number | undefined {
  const time = Number(microseconds)
  return Number.isSafeInteger(time) && time > 0 ? Math.floor(time / 1_000) : undefined
}
