import type { Log } from '../../adapters/log/logger.ts'
import { longestCallMs } from '../../core/recordings/recording-store.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import type { IsUp } from '../events/presence.ts'
import { type ErrorLatch, errorLatch } from '../runtime/error-latch.ts'
import { limited } from '../../core/concurrency/semaphore.ts'
import { backoffMs, pause } from '../../core/concurrency/timers.ts'
import { type AttendDeps, type Attended, type RecordingAttendant, recordingAttendant } from './attend-recording.ts'
import { type KnownRecording, knownRecordings, maxKnown } from './known-recordings.ts'
import { FileRefused, type RefusalReason } from './mapped-path.ts'
import { type HeardLeg, recordingWord } from './recording-facts.ts'
import { type RecordingNotes, recordingNotes } from './recording-notes.ts'
import { type RecordedCall, afterPeerReports } from './unheard-recording.ts'

/** How often notes of other connectors are looked for, and calls whose end was not reported. */
const lookMs = 15_000

/** An attempt reads a whole file, and many may fail together while the store is gone. */
const backoff = { firstMs: 1_000, longestMs: 60_000 }

/** Notes that are written at a time. */
const notesAtOnce = 4

export interface RecorderDeps extends Omit<AttendDeps, 'signal'> {
  readonly isUp: IsUp
  /** A number from 0 up to but not 1. */
  readonly random: () => number
  readonly log: Log
}

/**
 * Takes recordings from the engines' folder to the object store. Its state is in memory, and in notes next to the files
 * that outlive it.
 */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #stopping = new AbortController()
  readonly #attendant: RecordingAttendant
  readonly #notes: RecordingNotes | undefined
  readonly #noting = limited(notesAtOnce)
  readonly #known = knownRecordings()
  readonly #expectLater: (call: RecordedCall) => void
  readonly #storeAway: ErrorLatch
  readonly #lockAway: ErrorLatch
  readonly #diskAway: ErrorLatch
  /** A full disk can still be looked through: that is no sign that it takes notes again. */
  readonly #diskUnread: ErrorLatch
  readonly #counts = { stored: 0, bytes: 0, failures: 0, refused: 0, givenUp: 0, noteFailures: 0 }
  readonly #atWork = new Set<Promise<void>>()

  constructor(deps: RecorderDeps) {
    const { place, timers, log } = deps
    this.#deps = deps
    this.#attendant = recordingAttendant({ ...deps, signal: this.#stopping.signal })
    this.#notes = place && recordingNotes(place.disk)
    this.#expectLater = afterPeerReports(timers, (call) => this.#expect(call))
    this.#storeAway = errorLatch(log, 'recordings cannot be stored; they wait')
    this.#lockAway = errorLatch(log, 'stored recordings may lack the lock of their legal hold; it is tried again')
    this.#diskAway = errorLatch(log, 'the folder of the recordings cannot be used')
    this.#diskUnread = errorLatch(log, 'the folder of the recordings cannot be looked through')
  }

  /** Takes in an event of a channel whose domain is known; at once, and never failing. */
  hear(event: EngineEvent, domain: string, leg: HeardLeg): void {
    const word = recordingWord(event, domain, leg, this.#deps.clock.now())
    if (word === undefined) return
    const news = this.#known.hear(word)
    for (const one of news) this.#attend(one)
    if (word.kind !== 'end' || word.recorded === undefined || this.#known.hasCall(word.uuid)) return
    this.#expectLater(word.recorded)
  }

  /** Looks after what waits, until aborted. Resolves when all that was under way then has ended, between two steps. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#onDisk(() => this.#lookAround(), this.#diskUnread)
      await pause(this.#deps.timers, lookMs, signal)
    }
    this.#stopping.abort()
    for (const { cancel } of this.#known.all()) cancel()
    await Promise.all(this.#atWork)
  }

  counters(): Readonly<Record<string, number>> {
    const now = this.#deps.clock.now()
    const all = [...this.#known.all()]
    const unlocked = all.filter((one) => one.unlocked !== undefined).length
    const waiting = all.flatMap(({ facts, unlocked }) => (unlocked === undefined ? (facts.endedAt ?? []) : []))
    return {
      recordings: this.#known.size,
      recordingsWaiting: waiting.length,
      recordingsOldestMs: Math.max(0, now - Math.min(now, ...waiting)),
      recordingsUnlocked: unlocked,
      recordingsStored: this.#counts.stored,
      recordingBytes: this.#counts.bytes,
      recordingFailures: this.#counts.failures,
      recordingsRefused: this.#counts.refused,
      recordingsGivenUp: this.#counts.givenUp,
      recordingsDropped: this.#known.dropped,
      recordingNoteFailures: this.#counts.noteFailures,
      recordingNotesDamaged: this.#notes?.damaged ?? 0,
    }
  }

  async #lookAround(): Promise<void> {
    const found = (await this.#notes?.find(this.#known, maxKnown - this.#known.size)) ?? []
    for (const facts of found) {
      const one = this.#known.recall(facts)
      if (one !== undefined) this.#attend(one)
    }
    const before = this.#deps.clock.now() - lookMs
    const open = [...this.#known.all()].filter(({ facts }) => facts.endedAt === undefined && facts.startedAt < before)
    for (const one of open) await this.#askForEnd(one)
  }

  /** Asks the engine about a call without a reported end; an engine that cannot be asked for a day has no calls any more. */
  async #askForEnd(one: KnownRecording): Promise<void> {
    const { clock, isUp } = this.#deps
    const answer = await isUp(one.facts.uuid).catch(() => undefined)
    const isOver = answer === false || (answer === undefined && one.facts.startedAt + longestCallMs < clock.now())
    if (!isOver || one.facts.endedAt !== undefined) return
    one.facts = { ...one.facts, endedAt: clock.now() }
    this.#attend(one)
  }

  #attend(one: KnownRecording): void {
    if (this.#stopping.signal.aborted) return
    one.cancel()
    one.hasNews = true
    if (!one.isAtWork) this.#track(this.#work(one))
  }

  async #work(one: KnownRecording): Promise<void> {
    one.isAtWork = true
    do {
      one.hasNews = false
      await this.#look(one)
    } while (one.hasNews && !this.#stopping.signal.aborted)
    one.isAtWork = false
  }

  async #look(one: KnownRecording): Promise<void> {
    const { facts, unlocked } = one
    if (one.refusal !== undefined && unlocked === undefined) return this.#refuse(one, one.refusal)
    if (this.#notes !== undefined && !one.isNoted) await this.#note(one, this.#notes)
    try {
      const end = await (unlocked === undefined ? this.#attendant.attend(facts) : this.#attendant.lock(unlocked))
      if (!one.hasNews) await this.#settle(one, end)
    } catch (problem) {
      if (problem instanceof FileRefused) return this.#refuse(one, problem.reason)
      if (this.#stopping.signal.aborted) return
      this.#counts.failures += 1
      this.#storeAway.note(problem)
      if (!one.hasNews) this.#again(one)
    }
  }

  async #settle(one: KnownRecording, end: Attended): Promise<void> {
    // A recording without a note would be forgotten.
    const isKept = end.kind === 'elsewhere' && !one.isNoted
    if (end.kind === 'elsewhere' && !isKept) this.#known.leave(one)
    if (end.kind === 'unready' || isKept) this.#again(one)
    if (end.kind === 'given up') {
      this.#counts.givenUp += 1
      const { domain, uuid } = one.facts
      this.#deps.log.error('a recording never came', undefined, { domain, uuid })
    }
    if ((end.kind === 'finished' || end.kind === 'unlocked') && end.storedBytes > 0) {
      this.#counts.stored += 1
      this.#counts.bytes += end.storedBytes
      this.#storeAway.over()
    }
    if (end.kind === 'unlocked') {
      one.unlocked = end.recording
      this.#lockAway.note(end.problem)
      this.#again(one)
    } else if (one.unlocked !== undefined) this.#lockAway.over()
    if (end.kind === 'finished' || end.kind === 'given up') await this.#finish(one)
  }

  async #refuse(one: KnownRecording, reason: RefusalReason): Promise<void> {
    this.#counts.refused += 1
    this.#deps.log.warn('a recording is refused', { domain: one.facts.domain, uuid: one.facts.uuid, reason })
    await this.#finish(one)
  }

  async #finish(one: KnownRecording): Promise<void> {
    const notes = this.#notes
    this.#known.finish(one)
    if (notes !== undefined) await this.#onDisk(() => notes.remove(one.facts))
  }

  #again(one: KnownRecording): void {
    const { timers, random } = this.#deps
    one.failures += 1
    one.cancel = timers.after(backoffMs(one.failures, random, backoff), () => this.#attend(one))
  }

  /** A recording that no connector heard cannot be stored, only reported; a failed attempt is left to the other connector. */
  #expect(call: RecordedCall): void {
    if (this.#stopping.signal.aborted) return
    const working = this.#attendant.attendUnheard(call).catch(() => {
      this.#counts.failures += 1
    })
    this.#track(working)
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#atWork.delete(tracked))
    this.#atWork.add(tracked)
  }

  async #note(one: KnownRecording, notes: RecordingNotes): Promise<void> {
    const { facts } = one
    await this.#onDisk(async () => {
      await notes.write(facts)
      one.isNoted = one.facts === facts
    })
  }

  async #onDisk(work: () => Promise<void>, away = this.#diskAway): Promise<void> {
    try {
      await this.#noting(work)
      away.over()
    } catch (problem) {
      this.#counts.noteFailures += 1
      away.note(problem)
    }
  }
}
