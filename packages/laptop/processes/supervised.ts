import { PlainError } from './plain-error.ts'

/** One run of a program. */
export interface Run {
  /** Settles with how the program ended, such as `SIGKILL`. */
  readonly ended: Promise<string>
  /** Sends a signal to the program and to those that it has started. */
  signal(name: NodeJS.Signals): void
}

/** How a program is kept running. */
export interface SupervisedOptions<T extends Run> {
  /** As sentences name it: `the store`. */
  readonly name: string
  readonly logFile: string
  start(): T
  /** Asks the program for a sign of life; rejects, or never settles, without one. */
  ask?(): Promise<unknown>
  /** Whether the platform can do without: then it is started again however often it ends. */
  readonly isOptional?: boolean
  /** Called when the program has ended too often; absent: the problem is thrown past all callers. */
  fail?(problem: PlainError): void
}

const lookMs = 5_000
/** A program that leaves so many questions unanswered, half a minute's, is killed: twice as many while it starts. */
const mostUnanswered = 6
/** Waits before a start double with each end within the last minute. */
const [firstWaitMs, maxWaitMs] = [250, 5_000]
/** So many ends within a minute end the platform. */
const mostEnds = 10

/**
 * Keeps a program running: starts it again when it has ended, continues it at each look in case somebody stopped it
 * (SIGSTOP), and kills it when it does not answer. Questions are counted and not time, since a laptop sleeps.
 */
export class Supervised<T extends Run> {
  readonly #options: SupervisedOptions<T>
  readonly #looking = setInterval(() => this.#look(), lookMs)
  #run: T | undefined
  #timer: NodeJS.Timeout | undefined
  #ends: readonly number[] = []
  #unanswered = 0
  #hasAnswered = false
  #isOver = false

  /** `first` is a run that has begun already. */
  constructor(options: SupervisedOptions<T>, first?: T) {
    this.#options = options
    this.#start(first)
  }

  /** Absent while the program waits for its next start. */
  get run(): T | undefined {
    return this.#run
  }

  /** Starts the program no more. Returns the run that is left to end. */
  release(): T | undefined {
    this.#isOver = true
    clearInterval(this.#looking)
    clearTimeout(this.#timer)
    return this.#run
  }

  #start(begun?: T): void {
    try {
      const run = begun ?? this.#options.start()
      this.#run = run
      this.#unanswered = 0
      this.#hasAnswered = begun !== undefined
      void run.ended.then((how) => this.#isOver || this.#ended(how))
    } catch (error) {
      this.#ended(String(error))
    }
  }

  #look(): void {
    const run = this.#run
    if (run === undefined) return
    run.signal('SIGCONT')
    if (this.#unanswered === this.#mostUnanswered) run.signal('SIGKILL')
    if (this.#options.ask === undefined) return
    this.#unanswered += 1
    const answered = () => {
      if (run !== this.#run) return
      this.#unanswered = 0
      this.#hasAnswered = true
    }
    this.#options.ask().then(answered, () => {})
  }

  get #mostUnanswered(): number {
    return this.#hasAnswered ? mostUnanswered : 2 * mostUnanswered
  }

  #ended(how: string): void {
    const { name, logFile, isOptional = false } = this.#options
    this.#run = undefined
    this.#ends = [...this.#ends.filter((at) => at > Date.now() - 60_000), Date.now()]
    if (this.#ends.length >= mostEnds && !isOptional) {
      this.release()
      const problem = new PlainError(`${name} ended ${mostEnds} times within a minute (${how}): see ${logFile}`)
      if (this.#options.fail === undefined) throw problem
      return this.#options.fail(problem)
    }
    const waitMs = Math.min(firstWaitMs * 2 ** (this.#ends.length - 1), maxWaitMs)
    const why = this.#unanswered > this.#mostUnanswered ? ', since it did not answer' : ''
    console.error(`${name} ended (${how}${why}) and starts again in ${waitMs} ms`)
    this.#timer = setTimeout(() => this.#start(), waitMs)
  }
}
