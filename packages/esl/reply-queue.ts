import { type CommandSlot, JobsAside, type Settle, commandSlot, endSlot } from './command-slot.ts'
import { EslCommand } from './command.ts'
import { EslCommandFateUnknown, EslCommandNotSent, EslCommandTimeout, EslConnectionLost } from './errors.ts'
import type { EslFrame } from './frame.ts'
import type { EslLimits } from './options.ts'
import type { EslTimers } from './timers.ts'

/** At most so many jobs wait for their reply at once; the engine reads them one after another anyway. */
const MAX_JOBS_IN_FLIGHT = 64

/** The connection as a reply queue uses it. */
export interface ReplyQueueOptions {
  /** Writes bytes; `false` when no more should be written until `flush` is called. */
  write(bytes: Buffer): boolean
  /** Called when a reply is so late that the connection cannot be trusted with further commands. */
  onOverdue(error: EslConnectionLost): void
  readonly timers: EslTimers
  readonly limits: Pick<EslLimits, 'commandMs' | 'blockedMs' | 'overdueMs' | 'maxWaitingCommands'>
  readonly counts: { lateReplies: number; strayReplies: number }
}

/**
 * Puts commands on the wire and gives each reply to its own command. The engine answers in order, and names the command
 * only when it accepts a job. So several jobs may be in flight, but any other command is written only when nothing is
 * unanswered: then a lost or late reply is never taken for that of another command. A job whose reply
 * is lost, as that of a later one shows, keeps its time: its effect may be reported by its event. A command that waits
 * for jobs' replies for too long has the engine asked by one more job, whose reply shows which were lost.
 *
 * A refusal names no command. It is believed for a command that no other was ever in flight with. Among
 * several, of which one's reply may be lost or come twice, it is counted as unmatched, and the first of them is taken
 * for one whose reply is lost.
 *
 * One case stays undetected: if a result or refusal comes twice, the second time in a later read, it answers the next
 * command of its kind. No engine has been seen to do so. Commands that change something are jobs, or their answer is
 * not read, so a wrong answer can only mislead a question.
 */
export class ReplyQueue {
  readonly #options: ReplyQueueOptions
  readonly #waiting: CommandSlot[] = []
  readonly #inFlight: CommandSlot[] = []
  readonly #aside = new JobsAside()
  #writable = true
  #cancelAsking: (() => void) | undefined
  #asked = 0

  constructor(options: ReplyQueueOptions) {
    this.#options = options
  }

  get busy(): boolean {
    return this.#inFlight.length > 0
  }

  /** Sends a command when its turn comes, and settles it exactly once; not in time counts from now. */
  add(command: EslCommand, settle: Settle, timeoutMs = this.#options.limits.commandMs): void {
    if (this.#waiting.length >= this.#options.limits.maxWaitingCommands) {
      settle(new EslCommandNotSent(`${command.verb} was not sent: too many commands wait for the engine`))
      return
    }
    const slot = commandSlot(command, settle)
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      slot.cancelTimer = this.#options.timers.after(timeoutMs, () => this.#timeOut(slot, timeoutMs))
    }
    this.#waiting.push(slot)
    this.#writeNext()
  }

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
    if (index < 0) return this.#takeOther(frame)
    for (const lost of this.#inFlight.splice(0, index)) this.#lose(lost)
    const slot = this.#inFlight.shift()
    if (slot === undefined) return
    if (slot.isAmongOthers && isBareRefusal(frame)) {
      this.#options.counts.strayReplies += 1
      this.#lose(slot)
    } else this.#complete(slot, frame)
  }

  #takeOther(frame: EslFrame): void {
    const slot = this.#aside.take(frame.header('Job-UUID'))
    if (slot === undefined) this.#options.counts.strayReplies += 1
    else this.#complete(slot, frame)
  }

  #complete(slot: CommandSlot, frame: EslFrame): void {
    if (slot.settle) return endSlot(slot, answerOf(frame))
    slot.cancelTimer()
    this.#options.counts.lateReplies += 1
  }

  #lose(slot: CommandSlot): void {
    const { verb, answer } = slot.command
    if (answer === 'job') return this.#aside.put(slot)
    endSlot(slot, new EslCommandFateUnknown(`the engine has passed ${verb} without an answer that is surely its own`))
  }

  proceed(): void {
    this.#writeNext()
  }

  /** Ends every command: what was written has an unknown fate, what was not is safe to give again. */
  end(cause: EslConnectionLost): void {
    this.#cancelAsking?.()
    const [sent, unsent] = [this.#inFlight.splice(0), this.#waiting.splice(0)]
    for (const slot of [...this.#aside.takeAll(), ...sent]) {
      const problem = `${slot.command.verb} was sent and not answered: ${cause.message}`
      endSlot(slot, new EslCommandFateUnknown(problem, { cause }))
    }
    for (const slot of unsent) {
      endSlot(slot, new EslCommandNotSent(`${slot.command.verb} was not sent: ${cause.message}`, { cause }))
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

  #put(slot: CommandSlot): void {
    const before = this.#inFlight.at(-1)
    if (before !== undefined) before.isAmongOthers = slot.isAmongOthers = true
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
    this.#put(commandSlot(EslCommand.bgapi('uptime', `asked-${this.#asked}`), () => {}))
  }

  #mayFollow(command: EslCommand): boolean {
    if (this.#inFlight.length === 0) return true
    return command.answer === 'job' && this.#inFlight.length < MAX_JOBS_IN_FLIGHT
  }

  #ownerOf(frame: EslFrame): number {
    const first = this.#inFlight[0]?.command
    if (frame.contentType === 'api/response') return first?.answer === 'result' ? 0 : -1
    const jobUuid = frame.header('Job-UUID')
    if (jobUuid !== undefined) return this.#inFlight.findIndex(({ command }) => command.jobUuid === jobUuid)
    // A refusal has the shape of a bare reply whatever it refuses.
    return first?.answer === 'reply' || (first && isBareRefusal(frame)) ? 0 : -1
  }

  #timeOut(slot: CommandSlot, timeoutMs: number): void {
    const { verb } = slot.command
    const place = this.#waiting.indexOf(slot)
    if (place >= 0) {
      this.#waiting.splice(place, 1)
      endSlot(slot, new EslCommandNotSent(`${verb} was not sent: the engine was busy for ${timeoutMs} ms`))
      return
    }
    endSlot(slot, new EslCommandTimeout(`${verb} was sent and not answered within ${timeoutMs} ms`))
    if (this.#aside.has(slot)) return
    const { timers, limits } = this.#options
    slot.cancelTimer = timers.after(limits.overdueMs, () => {
      const problem = `the reply to ${verb} is ${limits.overdueMs} ms overdue`
      this.#options.onOverdue(new EslConnectionLost('reply-overdue', problem))
    })
  }
}

function answerOf(frame: EslFrame): string {
  return frame.contentType === 'api/response' ? frame.body.toString('utf8') : (frame.header('Reply-Text') ?? '')
}

function isBareRefusal(frame: EslFrame): boolean {
  const isBare = frame.contentType !== 'api/response' && frame.header('Job-UUID') === undefined
  return isBare && answerOf(frame).startsWith('-ERR')
}
