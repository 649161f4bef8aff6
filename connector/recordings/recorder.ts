import { once } from 'node:events'
import type { Ports } from '../../contracts/ports.ts'
import type { Log } from '../../adapters/log/logger.ts'
import { limited } from '../../core/concurrency/semaphore.ts'
import { type Time, backoffMs } from '../../core/concurrency/timers.ts'
import { isOfTenant } from '../../core/domains/domain.ts'
import type { RecordingStore } from '../../core/recordings/recording-store.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { type ErrorLatch, errorLatch } from '../runtime/error-latch.ts'
import {
  type KnownRecording,
  type RecordedCall,
  afterPeerReports,
  expectMissed,
  knownRecordings,
} from './known-recordings.ts'
import { type HeardLeg, type RecordingFacts, fileId, recordingWord } from './recording-facts.ts'
import { basename } from 'node:path/posix'
import { type RecordingKey, recordingKey } from '../../core/recordings/recording.ts'

/** Many records may fail together while the store is away. */
const backoff = { firstMs: 1_000, longestMs: 60_000 }

const recordsAtOnce = 8

/** The least time, by a deployment's settings, between the deletion of a domain and the next one of its name. */
const leastGraceMs = 60_000

export interface RecorderDeps extends Time {
  readonly ports: {
    readonly domains: Pick<Ports['domains'], 'read'>
    readonly recordings: Pick<RecordingStore, 'list' | 'expect'>
  }
  readonly random: () => number
  readonly log: Log
}

/**
 * Keeps the records of recordings: which there are, of which call, and when they ended. Engines send the files
 * (engine/bin/send-recordings); the platform accepts those with a record. A recording ends with its stop, else with its
 * call, whose end is made up if it was missed. State is in memory: if a connector is killed, the others do the rest.
 */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #stopping = new AbortController()
  readonly #known = knownRecordings()
  readonly #writing = limited(recordsAtOnce)
  readonly #expectLater: (call: RecordedCall) => void
  readonly #storeAway: ErrorLatch
  readonly #atWork = new Set<Promise<void>>()
  #failures = 0

  constructor(deps: RecorderDeps) {
    this.#deps = deps
    this.#expectLater = afterPeerReports(deps.timers, (call) => this.#expect(call))
    this.#storeAway = errorLatch(deps.log, 'records of recordings cannot be written; they wait')
  }

  /** Takes in an event of a channel whose domain is known; at once, and never failing. */
  hear(event: EngineEvent, domain: string, leg: HeardLeg): void {
    const word = recordingWord(event, domain, leg, this.#deps.clock.now())
    if (word === undefined) return
    for (const one of this.#known.hear(word)) this.#attend(one)
    if (word.kind !== 'end' || word.recorded === undefined || this.#known.hasCall(word.uuid)) return
    this.#expectLater(word.recorded)
  }

  /** Writes records until aborted. Resolves when those that were being written then are. */
  async follow(signal: AbortSignal): Promise<void> {
    await once(signal, 'abort')
    this.#stopping.abort()
    for (const { cancel } of this.#known.all()) cancel()
    await Promise.all(this.#atWork)
  }

  counters(): Readonly<Record<string, number>> {
    return {
      recordings: this.#known.size,
      recordingFailures: this.#failures,
      recordingsDropped: this.#known.dropped,
    }
  }

  #attend(one: KnownRecording): void {
    if (this.#stopping.signal.aborted) return
    one.cancel()
    one.isChanged = true
    if (!one.isAtWork) this.#track(this.#work(one))
  }

  async #work(one: KnownRecording): Promise<void> {
    one.isAtWork = true
    do {
      one.isChanged = false
      await this.#write(one)
    } while (one.isChanged && !this.#stopping.signal.aborted)
    one.isAtWork = false
  }

  async #write(one: KnownRecording): Promise<void> {
    const { facts } = one
    try {
      await this.#writing(() => placeRecording(this.#deps.ports.recordings, facts))
      this.#storeAway.over()
      if (facts.endedAt !== undefined && !one.isChanged) this.#known.finish(one)
    } catch (problem) {
      if (this.#stopping.signal.aborted) return
      this.#failures += 1
      this.#storeAway.note(problem)
      if (!one.isChanged) this.#again(one)
    }
  }

  #again(one: KnownRecording): void {
    const { timers, random } = this.#deps
    one.failures += 1
    one.cancel = timers.after(backoffMs(one.failures, random, backoff), () => this.#attend(one))
  }

  /** A recording that nobody heard can only be reported as missing; a failed attempt is left to the peer. */
  #expect(call: RecordedCall): void {
    if (this.#stopping.signal.aborted) return
    const { domains, recordings } = this.#deps.ports
    const working = this.#writing(async () => {
      const isTenants = isOfTenant(await domains.read(call.domain), call.startedAt, leastGraceMs)
      if (isTenants) await expectMissed(recordings, call)
    }).catch(() => {
      this.#failures += 1
    })
    this.#track(working)
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#atWork.delete(tracked))
    this.#atWork.add(tracked)
  }
}

const idLength = 22

/**
 * Writes the record of a recording, or adds missing fields to it. If one call has several recordings in one file, the
 * known ends decide which one it is: connectors that read different events of it find the same record, however often
 * and in whatever order they report.
 */
async function placeRecording(store: Pick<RecordingStore, 'list' | 'expect'>, facts: RecordingFacts): Promise<void> {
  const { domain, uuid, path, engine, presenceId, leg, createdTime, startedAt, endedAt, completionCause, reportedMs } =
    facts
  const file = fileId(facts)
  const ofFile = (await store.list(domain, uuid))
    .filter(({ id }) => id.startsWith(file))
    .sort((a, b) => numberOf(a, file) - numberOf(b, file))
  const at = facts.isStartTold ? startedAt : (endedAt ?? startedAt)
  const known = ofFile.find((one) => one.endedAt === undefined || one.endedAt >= at)
  const last = ofFile.at(-1)
  const next = last === undefined ? 1 : numberOf(last, file) + 1
  const place = { domain, uuid, id: known?.id ?? (next === 1 ? file : `${file}-${next}`) }
  await store.expect({
    ...place,
    name: basename(path).slice(0, 255) || 'recording',
    key: known?.key ?? recordingKey(place, startedAt),
    presenceId,
    leg,
    createdTime,
    engine,
    path,
    startedAt,
    endedAt,
    completionCause,
    reportedMs,
  })
}

/** 1 for the first recording in a file, 2 for the one that replaced it. */
function numberOf({ id }: Pick<RecordingKey, 'id'>, file: string): number {
  return id === file ? 1 : Number(id.slice(idLength + 1))
}
