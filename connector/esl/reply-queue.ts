import { EslCommand } from './command.ts'
import {
  EslCommandFateUnknown,
  EslCommandNotSent,
  EslCommandTimeout,
  EslConnectionLost,
  type EslError,
} from './errors.ts'
import type { EslFrame } from './frame.ts'
import type { EslLimits } from './limits.ts'
import type { EslTimers } from './timers.ts'

/** At most so many jobs wait for their reply at once; the engine reads them one after another anyway. */
const MAX_JOBS_IN_FLIGHT = 64

/** Jobs whose reply is taken to be lost that are remembered, to know it when it comes after all. */
const MAX_PASSED = 1_000

/** What the engine answered: the body of a result as it is, or the Reply-Text. `-ERR` is an answer too. */
export type Settle = (answer: string | EslError) => void

/** What a reply queue needs of its connection. */
export interface ReplyQueueOptions {
  /** Writes bytes; `false` when no more should be written until `flush` is called. */
  write(bytes: Buffer): boolean
  /** Called when a reply is so late that the connection cannot be trusted with further commands. */
  onOverdue(error: EslConnectionLost): void
  readonly timers: EslTimers
  readonly limits: Pick<EslLimits, 'commandMs' | 'blockedMs' | 'overdueMs' | 'maxWaitingCommands'>
  readonly counts: { lateReplies: number; strayReplies: number }
}

interface Slot {
  readonly command: EslCommand
  /** Undefined once the command has ended without its reply, which may still come. */
  settle: Settle | undefined
  cancelTimer: () => void
}

/**
 * Puts commands on the wire and gives each reply to its own command. The engine answers in order, but only a job's
 * reply says whose it is. So jobs may be in flight together, while any other command is written only when nothing
 * else is unanswered: a reply that is lost, late or sent twice can then never pass for another command's. A job whose
 * reply is lost, as that of a later one shows, keeps its time: what it did may be told by its event. A command that waits
 * for jobs' replies for too long has the engine asked by one more job, whose reply shows which were lost.
 */
export class ReplyQueue {
  readonly #options: ReplyQueueOptions
  readonly #waiting: Slot[] = []
  readonly #inFlight: Slot[] = []
  readonly #passed = new Map<string, Slot>()
  #writable = true
  #cancelAsking: (() => void) | undefined
  #asked = 0

  constructor(options: ReplyQueueOptions) {
    this.#options = options
  }

  /** Whether a written command has no reply yet. */
  get busy(): boolean {
    return this.#inFlight.length > 0
  }

  /** Sends a command when its turn comes, and settles it exactly once; not in time counts from now. */
  add(command: EslCommand, settle: Settle, timeoutMs = this.#options.limits.commandMs): void {
    if (this.#waiting.length >= this.#options.limits.maxWaitingCommands) {
      settle(new EslCommandNotSent(`${command.verb} was not sent: too many commands wait for the engine`))
      return
    }
    const slot: Slot = { command, settle, cancelTimer: () => {} }
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      slot.cancelTimer = this.#options.timers.after(timeoutMs, () => this.#timeOut(slot, timeoutMs))
    }
    this.#waiting.push(slot)
    this.#writeNext()
  }

  /** Writes on after the connection could not take more. */
  flush(): void {
    this.#writable = true
    this.#writeNext()
  }

  /**
   * Takes a `command/reply` or `api/response` frame. Nothing is written before `proceed`: what came together with a
   * reply, such as the same reply again, cannot answer a command that is written after it.
   */
  take(frame: EslFrame): void {
    const index = this.#ownerOf(frame)
    if (index < 0) {
      const passed = this.#passed.get(frame.header('Job-UUID') ?? '')
      if (passed === undefined) this.#options.counts.strayReplies += 1
      else this.#complete(passed, frame)
      return
    }
    for (const passed of this.#inFlight.splice(0, index)) {
      if (passed.command.answer === 'job') {
        this.#setAside(passed)
        continue
      }
      end(passed, new EslCommandFateUnknown(`the engine answered a later command and not ${passed.command.verb}`))
    }
    const slot = this.#inFlight.shift()
    if (slot !== undefined) this.#complete(slot, frame)
  }

  #complete(slot: Slot, frame: EslFrame): void {
    this.#passed.delete(slot.command.jobUuid ?? '')
    if (slot.settle) return end(slot, answerOf(frame))
    slot.cancelTimer()
    this.#options.counts.lateReplies += 1
  }

  /** Writes what the replies taken so far have made way for. */
  proceed(): void {
    this.#writeNext()
  }

  /** Ends every command: what was written has an unknown fate, what was not is safe to give again. */
  end(cause: EslConnectionLost): void {
    this.#cancelAsking?.()
    const [sent, unsent] = [this.#inFlight.splice(0), this.#waiting.splice(0)]
    const aside = [...this.#passed.values()]
    this.#passed.clear()
    for (const slot of [...aside, ...sent]) {
      end(
        slot,
        new EslCommandFateUnknown(`${slot.command.verb} was sent and not answered: ${cause.message}`, { cause }),
      )
    }
    for (const slot of unsent) {
      end(slot, new EslCommandNotSent(`${slot.command.verb} was not sent: ${cause.message}`, { cause }))
    }
  }

  #writeNext(): void {
    while (this.#writable) {
      const next = this.#waiting[0]
      if (!next) return
      if (!this.#mayFollow(next.command)) {
        if (next.command.answer !== 'job') this.#askSoon()
        return
      }
      this.#waiting.shift()
      this.#put(next)
    }
  }

  #put(slot: Slot): void {
    this.#inFlight.push(slot)
    this.#writable = this.#options.write(slot.command.encode())
  }

  #askSoon(): void {
    const { timers, limits } = this.#options
    this.#cancelAsking ??= timers.after(limits.blockedMs, () => {
      this.#cancelAsking = undefined
      this.#ask()
    })
  }

  /** The engine answers in order: once it has answered this job, the replies to those before it are lost. */
  #ask(): void {
    const onlyJobs = this.#inFlight.length > 0 && this.#inFlight.every(({ command }) => command.answer === 'job')
    const isBlocked = this.#waiting[0] !== undefined && this.#waiting[0].command.answer !== 'job'
    if (!isBlocked || !onlyJobs || !this.#writable) return
    this.#asked += 1
    this.#put({
      command: EslCommand.bgapi('uptime', `asked-${this.#asked}`),
      settle: () => {},
      cancelTimer: () => {},
    })
  }

  #mayFollow(command: EslCommand): boolean {
    if (this.#inFlight.length === 0) return true
    return command.answer === 'job' && this.#inFlight.length < MAX_JOBS_IN_FLIGHT
  }

  /** Nobody waits behind a job any more whose reply is lost; what it does may still be told by its event. */
  #setAside(slot: Slot): void {
    const [oldest] = this.#passed.keys()
    if (this.#passed.size >= MAX_PASSED && oldest !== undefined) this.#passed.delete(oldest)
    if (slot.settle === undefined) slot.cancelTimer()
    this.#passed.set(slot.command.jobUuid ?? '', slot)
  }

  /** The command in flight that a reply answers, by its index, or -1. */
  #ownerOf(frame: EslFrame): number {
    const first = this.#inFlight[0]?.command
    if (frame.contentType === 'api/response') return first?.answer === 'result' ? 0 : -1
    const jobUuid = frame.header('Job-UUID')
    if (jobUuid !== undefined) return this.#inFlight.findIndex(({ command }) => command.jobUuid === jobUuid)
    // A refusal has the shape of a bare reply whatever it refuses.
    return first?.answer === 'reply' || (first && answerOf(frame).startsWith('-ERR')) ? 0 : -1
  }

  #timeOut(slot: Slot, timeoutMs: number): void {
    const { verb } = slot.command
    const place = this.#waiting.indexOf(slot)
    if (place >= 0) {
      this.#waiting.splice(place, 1)
      end(slot, new EslCommandNotSent(`${verb} was not sent: the engine was busy for ${timeoutMs} ms`))
      return
    }
    end(slot, new EslCommandTimeout(`${verb} was sent and not answered within ${timeoutMs} ms`))
    if (this.#passed.has(slot.command.jobUuid ?? '')) return
    const { timers, limits } = this.#options
    slot.cancelTimer = timers.after(limits.overdueMs, () => {
      const problem = `the reply to ${verb} is ${limits.overdueMs} ms overdue`
      this.#options.onOverdue(new EslConnectionLost('reply-overdue', problem))
    })
  }
}

function end(slot: Slot, answer: string | EslError): void {
  const { settle } = slot
  slot.cancelTimer()
  slot.settle = undefined
  settle?.(answer)
}

function answerOf(frame: EslFrame): string {
  return frame.contentType === 'api/response' ? frame.body.toString('utf8') : (frame.header('Reply-Text') ?? '')
}
