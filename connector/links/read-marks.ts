import type { EngineEvent } from '../runtime/engine.ts'
import { engineTime } from './event-position.ts'

/** An event is noted this often: to a tenth of a second it is known when events of which moment were read. */
const apartMs = 100

/** A hundred seconds of a busy engine. Of more every other one goes, so that what is long ago is known less exactly. */
const maxMarks = 1_000

interface Mark {
  /** Epoch milliseconds of the own clock. */
  readonly readAt: number
  /** Epoch milliseconds of the engine's clock. */
  readonly engineAt: number
}

/**
 * Pairs of a moment of an engine and the time at which it was read. Events between the two may have been in transit.
 */
export class ReadMarks {
  #marks: Mark[] = []
  #last: { readonly readAt: number; readonly event: EngineEvent } | undefined

  note(event: EngineEvent, now: number): void {
    this.#last = { readAt: now, event }
    const newest = this.#marks.at(-1)
    if (newest !== undefined && now - newest.readAt < apartMs) return
    const engineAt = engineTime(event)
    if (engineAt === undefined) return
    if (this.#marks.length >= maxMarks) this.#marks = this.#marks.filter((_mark, index) => index % 2 === 0)
    this.#marks.push({ readAt: now, engineAt })
  }

  /** The engine's time of the newest event that is known to have been read before a moment; absent when none is. */
  engineTimeBefore(moment: number): number | undefined {
    if (this.#last !== undefined && this.#last.readAt < moment) return engineTime(this.#last.event)
    return this.#marks.findLast(({ readAt }) => readAt < moment)?.engineAt
  }
}
