import type { Log } from '../../adapters/log/logger.ts'
import { longestCallMs } from '../../core/recordings/recording-store.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import type { IsUp } from '../events/presence.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import { limited } from '../../core/concurrency/semaphore.ts'
import { backoffMs, pause } from '../../core/concurrency/timers.ts'
import { type AttendDeps, type Attended, recordingAttendant } from './attend-recording.ts'
import { type KnownRecording, knownRecordings, maxKnown } from './known-recordings.ts'
import { FileRefused } from './mapped-path.ts'
import { type HeardLeg, recordingWord } from './recording-facts.ts'
import { recordingNotes } from './recording-notes.ts'
import { type RecordedCall, afterPeerReports } from './unheard-recording.ts'

/** How often notes of other connectors are looked for, and calls whose end was not reported. */
const lookMs = 15_000

/** An attempt reads a whole file, and many may fail together while the store is gone. */
const backoff = { firstMs: 1_000, longestMs: 60_000 }

/** Notes that are written at a time. */
const notesAtOnce = 4

/** Takes recordings from the engines' folder to the object store. */
export interface Recorder {
  /** Takes in an event of a channel whose domain is known; at once, and never failing. */
  hear(event: EngineEvent, domain: string, leg: HeardLeg): void
  /** Looks after what waits, until aborted. Resolves when all that was under way then has ended, between two steps. */
  follow(signal: AbortSignal): Promise<void>
  counters(): Readonly<Record<string, number>>
}

export interface RecorderDeps extends Omit<AttendDeps, 'signal'> {
  readonly isUp: IsUp
  /** A number from 0 up to but not 1. */
  readonly random: () => number
  readonly log: Log
}

/** Makes a recorder. Its state is in memory, and in notes next to the files that outlive it. */
export function recorder(parts: RecorderDeps): Recorder {
  const { place, clock, timers, log, random } = parts
  const stopping = new AbortController()
  const attendant = recordingAttendant({ ...parts, signal: stopping.signal })
  const notes = place && recordingNotes(place.disk)
  const noting = limited(notesAtOnce)
  const known = knownRecordings()
  const away = errorLatch(log, 'recordings cannot be stored; they wait')
  const diskAway = errorLatch(log, 'the folder of the recordings cannot be used')
  // A full disk can still be looked through: that is no sign that it takes notes again.
  const diskUnread = errorLatch(log, 'the folder of the recordings cannot be looked through')
  const counts = { stored: 0, bytes: 0, failures: 0, refused: 0, givenUp: 0, noteFailures: 0 }
  const atWork = new Set<Promise<void>>()

  const onDisk = async (work: () => Promise<void>, away = diskAway): Promise<void> => {
    try {
      await noting(work)
      away.over()
    } catch (problem) {
      counts.noteFailures += 1
      away.note(problem)
    }
  }
  const again = (one: KnownRecording) => {
    one.failures += 1
    one.cancel = timers.after(backoffMs(one.failures, random, backoff), () => attend(one))
  }
  const finish = async (one: KnownRecording) => {
    known.finish(one)
    if (notes !== undefined) await onDisk(() => notes.remove(one.facts))
  }
  const settle = async (one: KnownRecording, end: Attended) => {
    // A recording without a note would be forgotten.
    const isKept = end.kind === 'elsewhere' && !one.isNoted
    if (end.kind === 'elsewhere' && !isKept) known.leave(one)
    if (end.kind === 'unready' || isKept) again(one)
    if (end.kind === 'given up') {
      counts.givenUp += 1
      log.error('a recording never came', undefined, { domain: one.facts.domain, uuid: one.facts.uuid })
    }
    if (end.kind === 'finished' && end.storedBytes > 0) {
      counts.stored += 1
      counts.bytes += end.storedBytes
      away.over()
    }
    if (end.kind === 'finished' || end.kind === 'given up') await finish(one)
  }
  const refuse = async (one: KnownRecording, { reason }: FileRefused) => {
    counts.refused += 1
    log.warn('a recording is refused', { domain: one.facts.domain, uuid: one.facts.uuid, reason })
    await finish(one)
  }

  const look = async (one: KnownRecording) => {
    const { facts } = one
    if (one.refusal !== undefined) return refuse(one, new FileRefused(one.refusal))
    if (notes !== undefined && !one.isNoted) {
      await onDisk(async () => {
        await notes.write(facts)
        one.isNoted = one.facts === facts
      })
    }
    try {
      const end = await attendant.attend(facts)
      if (!one.hasNews) await settle(one, end)
    } catch (problem) {
      if (problem instanceof FileRefused) return refuse(one, problem)
      if (stopping.signal.aborted) return
      counts.failures += 1
      away.note(problem)
      if (!one.hasNews) again(one)
    }
  }
  const work = async (one: KnownRecording) => {
    one.isAtWork = true
    do {
      one.hasNews = false
      await look(one)
    } while (one.hasNews && !stopping.signal.aborted)
    one.isAtWork = false
  }
  const attend = (one: KnownRecording) => {
    if (stopping.signal.aborted) return
    one.cancel()
    one.hasNews = true
    if (one.isAtWork) return
    const working = work(one).finally(() => atWork.delete(working))
    atWork.add(working)
  }

  /** A recording that no connector heard cannot be stored, only reported; a failed attempt is left to the other connector. */
  const expectOf = (call: RecordedCall) => {
    if (stopping.signal.aborted) return
    const working = attendant
      .attendUnheard(call)
      .catch(() => {
        counts.failures += 1
      })
      .finally(() => atWork.delete(working))
    atWork.add(working)
  }

  const doubt = afterPeerReports(timers, expectOf)

  /** Asks the engine about a call without a reported end; an engine that cannot be asked for a day has no calls any more. */
  const endOf = async (one: KnownRecording) => {
    const isUp = await parts.isUp(one.facts.uuid).catch(() => undefined)
    const isOver = isUp === false || (isUp === undefined && one.facts.startedAt + longestCallMs < clock.now())
    if (!isOver || one.facts.endedAt !== undefined) return
    one.facts = { ...one.facts, endedAt: clock.now() }
    attend(one)
  }
  const lookAround = async () => {
    const found = (await notes?.find(known, maxKnown - known.size)) ?? []
    for (const facts of found) {
      const one = known.recall(facts)
      if (one !== undefined) attend(one)
    }
    const before = clock.now() - lookMs
    const open = [...known.all()].filter(({ facts }) => facts.endedAt === undefined && facts.startedAt < before)
    for (const one of open) await endOf(one)
  }
  const waiting = () => [...known.all()].flatMap(({ facts }) => facts.endedAt ?? [])

  return {
    hear: (event, domain, leg) => {
      const word = recordingWord(event, domain, leg, clock.now())
      if (word === undefined) return
      const news = known.hear(word)
      for (const one of news) attend(one)
      if (word.kind === 'end' && word.recorded !== undefined && !known.hasCall(word.uuid)) doubt(word.recorded)
    },
    follow: async (signal) => {
      while (!signal.aborted) {
        await onDisk(lookAround, diskUnread)
        await pause(timers, lookMs, signal)
      }
      stopping.abort()
      for (const { cancel } of known.all()) cancel()
      await Promise.all(atWork)
    },
    counters: () => ({
      recordings: known.size,
      recordingsWaiting: waiting().length,
      recordingsOldestMs: Math.max(0, clock.now() - Math.min(clock.now(), ...waiting())),
      recordingsStored: counts.stored,
      recordingBytes: counts.bytes,
      recordingFailures: counts.failures,
      recordingsRefused: counts.refused,
      recordingsGivenUp: counts.givenUp,
      recordingsDropped: known.dropped,
      recordingNoteFailures: counts.noteFailures,
      recordingNotesDamaged: notes?.damaged ?? 0,
    }),
  }
}
