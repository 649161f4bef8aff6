import { EslCommand } from './command.ts'
import {
  type EslCounts,
  type EslLimits,
  type EslSession,
  type EslSessionOptions,
  type EslState,
  type EslTally,
  defaultEslLimits,
} from './options.ts'
import { EslConnection } from './connection.ts'
import { EslCommandNotSent, EslCommandRejected, EslConnectionLost, EslError } from './errors.ts'
import type { Settle } from './command-slot.ts'
import { type EslTimers, retryDelayMs, systemEslTimers } from './timers.ts'
import { type Subscription, type SubscriptionStep, parseSubscription, subscriptionSteps } from './subscription.ts'

const NOTHING: Subscription = parseSubscription([])
const CORE_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Opens a session, which connects at once. Throws EslCommandInvalid when the subscription is no list of words. */
export function openEslSession(options: EslSessionOptions): EslSession {
  return new ReconnectingSession(options)
}

class ReconnectingSession implements EslSession {
  readonly #options: EslSessionOptions
  readonly #timers: EslTimers
  readonly #limits: EslLimits
  readonly #tally: EslTally = { heardAt: 0, bytes: 0, events: 0, unreadableEvents: 0, lateReplies: 0, strayReplies: 0 }
  #state: EslState = { kind: 'connecting' }
  #connection: EslConnection | undefined
  #connections = 0
  #readyAt: number | undefined
  #failures = 0
  #cancelRetry = () => {}
  #closing = false
  #wanted: Subscription
  #applied = NOTHING
  #applying = Promise.resolve()

  constructor(options: EslSessionOptions) {
    this.#options = options
    this.#timers = options.timers ?? systemEslTimers
    this.#limits = { ...defaultEslLimits, ...options.limits }
    this.#wanted = checkedSubscription(options.subscribe)
    this.#connect()
  }

  get state(): EslState {
    return this.#state
  }

  get heardAt(): number {
    return this.#tally.heardAt
  }

  get counts(): EslCounts {
    const { heardAt: _, ...counts } = this.#tally
    return { connections: this.#connections, ...counts }
  }

  async api(command: string): Promise<string> {
    return this.#run(EslCommand.api(command))
  }

  async bgapi(command: string, jobUuid: string): Promise<void> {
    acceptedOrThrow(await this.#run(EslCommand.bgapi(command, jobUuid)))
  }

  async resubscribe(subscribe: readonly string[]): Promise<void> {
    this.#wanted = checkedSubscription(subscribe)
    await this.#applyWanted()
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#cancelRetry()
    if (this.#connection) await this.#connection.close()
    else this.#onEnd(new EslConnectionLost('stopped', 'closed on our side'))
  }

  #connect(): void {
    const { host, port, password } = this.#options
    this.#connections += 1
    this.#connection = new EslConnection({
      host,
      port,
      password,
      timers: this.#timers,
      limits: this.#limits,
      tally: this.#tally,
      onReady: () => this.#identify(),
      onEvent: (event) => this.#options.onEvent(event),
      // Before the subscription no event comes, and answers are waited for.
      room: () => (this.#state.kind === 'ready' ? this.#options.room?.() : undefined),
      onUnreadable: (error) => this.#options.onUnreadable?.(error),
      onEnd: (error) => this.#onEnd(error),
    })
  }

  /** Asks which process of the engine this is, before the first event of it can come. */
  #identify(): void {
    this.#step(EslCommand.api('global_getvar core_uuid'), (answer) => {
      this.#subscribe(CORE_UUID.test(answer.trim()) ? { coreUuid: answer.trim() } : {})
    })
  }

  #subscribe(engine: { coreUuid?: string }): void {
    const subscribed = this.#wanted
    const ready = () => {
      this.#applied = subscribed
      this.#readyAt = this.#timers.now()
      this.#tell({ kind: 'ready', ...engine })
      if (subscribed !== this.#wanted) this.#applyWanted().catch(() => {})
    }
    const take = ([step, ...others]: readonly SubscriptionStep[]): void => {
      if (!step) return ready()
      this.#step(EslCommand[step.verb](step.words), (answer) => {
        if (answer.startsWith('+OK')) return take(others)
        this.#connection?.giveUp('subscription-refused', `the engine refused the subscription: ${answer}`)
      })
    }
    take(subscriptionSteps(NOTHING, subscribed))
  }

  /** One command on the way to being ready; without an answer to it the connection is of no use. */
  #step(command: EslCommand, onAnswer: (answer: string) => void): void {
    this.#connection?.run(command, (answer) => {
      if (!(answer instanceof EslError)) onAnswer(answer)
      else this.#connection?.giveUp('reply-overdue', answer.message)
    })
  }

  #run(command: EslCommand): Promise<string> {
    const connection = this.#connection
    if (this.#state.kind !== 'ready' || this.#closing || !connection) {
      const state = this.#closing ? 'closing' : this.#state.kind
      const { name } = this.#options
      return Promise.reject(new EslCommandNotSent(`${command.verb} was not sent: the ${name} link is ${state}`))
    }
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const settle: Settle = (answer) => (answer instanceof EslError ? reject(answer) : resolve(answer))
    connection.run(command, settle)
    return promise
  }

  /** One change after another: each begins from what the one before it has left. */
  #applyWanted(): Promise<void> {
    const applied = this.#applying.then(() => this.#takeSteps())
    this.#applying = applied.catch(() => {})
    return applied
  }

  async #takeSteps(): Promise<void> {
    if (this.#state.kind !== 'ready') return
    const wanted = this.#wanted
    for (const step of subscriptionSteps(this.#applied, wanted)) {
      acceptedOrThrow(await this.#run(EslCommand[step.verb](step.words)))
    }
    this.#applied = wanted
  }

  #onEnd(error: EslConnectionLost): void {
    this.#connection = undefined
    if (error.reason === 'stopped') {
      if (this.#state.kind === 'down' && this.#state.reason === 'stopped') return
      return this.#tell({ kind: 'down', reason: 'stopped', retryInMs: Number.POSITIVE_INFINITY, error })
    }
    const lastedMs = this.#readyAt === undefined ? 0 : this.#timers.now() - this.#readyAt
    this.#readyAt = undefined
    if (lastedMs >= this.#limits.retryMaxMs) this.#failures = 0
    const retryInMs = retryDelayMs(error.reason, this.#failures, this.#limits, this.#options.random ?? Math.random)
    this.#failures += 1
    this.#cancelRetry = this.#timers.after(retryInMs, () => {
      this.#tell({ kind: 'connecting' })
      this.#connect()
    })
    this.#tell({ kind: 'down', reason: error.reason, retryInMs, error })
  }

  #tell(state: EslState): void {
    this.#state = state
    this.#options.onState(state)
  }
}

/** Refuses words that could not be sent while there is still a caller to tell. */
function checkedSubscription(words: readonly string[]): Subscription {
  const subscription = parseSubscription(words)
  for (const step of subscriptionSteps(NOTHING, subscription)) EslCommand[step.verb](step.words)
  return subscription
}

function acceptedOrThrow(reply: string): void {
  if (!reply.startsWith('+OK')) throw new EslCommandRejected(reply)
}
