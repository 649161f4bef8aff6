import type { Settle } from './command-slot.ts'
import { EslCommand } from './command.ts'
import type { EslConnectionOptions } from './options.ts'
import { EngineSocket, codeOf } from './engine-socket.ts'
import {
  EslCommandInvalid,
  EslConnectionLost,
  type EslDownReason,
  EslError,
  EslEventUnreadable,
  EslFramingLost,
} from './errors.ts'
import { type EslEvent, readEvent } from './event.ts'
import type { EslFrame } from './frame.ts'
import { Incoming } from './incoming.ts'
import { ReplyQueue } from './reply-queue.ts'
import { SilenceWatch } from './timers.ts'

/** The text that an engine writes to a listener that it drops. */
const OVERFLOW_NOTICE = 'killed listener because of lost events'

/** `greeting`: before the engine's first words; `login`: before its answer to the password. */
type Phase = 'greeting' | 'login' | 'open' | 'closing' | 'ended'

/** One TCP connection to an engine, from the attempt to its end. Stops reading only while there is no room. */
export class EslConnection {
  readonly #options: EslConnectionOptions
  readonly #socket: EngineSocket
  readonly #incoming: Incoming
  readonly #replies: ReplyQueue
  readonly #ended = Promise.withResolvers<void>()
  readonly #silence: SilenceWatch
  readonly #cancel = { greeting: () => {}, closing: () => {} }
  #phase: Phase = 'greeting'
  #probing = false

  constructor(options: EslConnectionOptions) {
    const { host, port, limits, timers, tally } = options
    this.#options = options
    this.#incoming = new Incoming(limits, (frame) => this.#onFrame(frame))
    this.#socket = new EngineSocket({
      host,
      port,
      onBytes: (chunk) => this.#read(chunk),
      onDrain: () => this.#replies.flush(),
      onClosed: () => this.#onClosed(),
    })
    this.#replies = new ReplyQueue({
      write: (bytes) => this.#socket.write(bytes),
      onOverdue: (error) => this.#end(error),
      timers,
      limits,
      counts: tally,
    })
    this.#cancel.greeting = timers.after(limits.greetingMs, () => {
      if (this.#socket.isConnected) this.#fail('no-greeting', `the engine did not greet within ${limits.greetingMs} ms`)
      else this.#fail('unreachable', `no connection to the engine within ${limits.greetingMs} ms`)
    })
    this.#silence = new SilenceWatch({
      timers,
      silenceMs: limits.silenceMs,
      onQuiet: () => this.#probe(),
      onSilent: () => this.#fail('silent', `no byte came for ${limits.silenceMs} ms`),
    })
  }

  run(command: EslCommand, settle: Settle): void {
    this.#replies.add(command, settle)
  }

  /** Says goodbye and waits for the end, `closeMs` at most. */
  close(): Promise<void> {
    if (this.#phase === 'open') {
      this.#phase = 'closing'
      this.#replies.add(EslCommand.exit(), () => {}, Number.POSITIVE_INFINITY)
      const { timers, limits } = this.#options
      this.#cancel.closing = timers.after(limits.closeMs, () => this.#fail('stopped', 'closed on our side'))
    } else if (this.#phase !== 'closing') this.#fail('stopped', 'closed on our side')
    return this.#ended.promise
  }

  giveUp(reason: EslDownReason, message: string): void {
    this.#fail(reason, message)
  }

  /** Returns whether to read on at once. */
  #read(chunk: Buffer): boolean {
    if (this.#phase === 'ended') return false
    this.#options.tally.heardAt = this.#silence.heard()
    this.#options.tally.bytes += chunk.length
    try {
      this.#incoming.push(chunk)
      this.#replies.proceed()
    } catch (error) {
      if (!(error instanceof EslFramingLost)) throw error
      this.#onFramingLost(error)
    }
    const room = this.#options.room?.()
    void room?.then(() => this.#socket.readOn())
    return room === undefined
  }

  #onFramingLost(error: EslFramingLost): void {
    if (this.#phase === 'greeting') this.#fail('not-an-engine', 'the greeting is not that of an event socket', error)
    else if (this.#incoming.isOverwritten) this.#fail('overflow', OVERFLOW_NOTICE, error)
    else this.#end(error)
  }

  #onFrame(frame: EslFrame): void {
    if (this.#phase === 'ended') return
    if (frame.problem !== undefined) return this.#skip(frame, frame.problem)
    switch (frame.contentType) {
      case 'auth/request':
        return this.#login()
      case 'command/reply':
      case 'api/response':
        return this.#replies.take(frame)
      case 'text/event-json':
      case 'text/event-plain':
      case 'text/event-xml':
        return this.#onEventFrame(frame)
      case 'text/disconnect-notice':
        return this.#onNotice(frame)
      case 'text/rude-rejection':
        return this.#fail('access-rejected', 'the access list of the engine does not hold our address')
      default:
    }
  }

  /** An engine may learn a new kind of frame, but it greets in one way. */
  #skip({ contentType, body }: EslFrame, problem: string): void {
    if (this.#phase === 'greeting') throw new EslFramingLost(problem)
    this.#onUnreadable(new EslEventUnreadable(contentType, body.length, problem))
  }

  #onUnreadable(error: EslEventUnreadable): void {
    this.#options.tally.unreadableEvents += 1
    this.#options.onUnreadable(error)
  }

  #login(): void {
    if (this.#phase !== 'greeting') return
    this.#phase = 'login'
    this.#cancel.greeting()
    const { password, limits } = this.#options
    const settle: Settle = (answer) => {
      if (this.#phase !== 'login') return
      if (answer instanceof EslError) return this.#fail('no-greeting', 'the engine did not answer the login', answer)
      if (!answer.startsWith('+OK')) return this.#fail('auth-refused', `the engine refused the login: ${answer}`)
      this.#phase = 'open'
      this.#options.onReady()
    }
    try {
      this.#replies.add(EslCommand.auth(password), settle, limits.greetingMs)
    } catch (error) {
      if (!(error instanceof EslCommandInvalid)) throw error
      this.#fail('auth-refused', 'the password cannot be sent', error)
    }
  }

  #onEventFrame(frame: EslFrame): void {
    if (this.#phase !== 'open' && this.#phase !== 'closing') return
    let event: EslEvent
    try {
      event = readEvent(frame.contentType, frame.body)
    } catch (error) {
      if (!(error instanceof EslEventUnreadable)) throw error
      this.#incoming.doubt()
      return this.#onUnreadable(error)
    }
    this.#options.tally.events += 1
    this.#options.onEvent(event)
  }

  /** A lingering connection announces its end ahead and goes on with events. */
  #onNotice(frame: EslFrame): void {
    if (frame.header('Content-Disposition') === 'linger') return
    const notice = frame.body.toString('utf8').trim()
    if (notice.includes(OVERFLOW_NOTICE)) this.#fail('overflow', notice)
    else this.#fail('disconnected', `the engine closes the connection: ${notice.split('\n')[0]}`)
  }

  #onClosed(): void {
    const cause = this.#socket.problem
    const { unfinished, isOverwritten } = this.#incoming
    if (!this.#socket.isConnected) this.#fail('unreachable', `no connection to the engine: ${codeOf(cause)}`, cause)
    else if (isOverwritten) this.#fail('overflow', OVERFLOW_NOTICE, cause)
    else this.#fail('closed', `the connection was closed${unfinished ? ` inside a ${unfinished.part}` : ''}`, cause)
  }

  /** Makes an idle engine say something, since a link without events would be silent for ever. */
  #probe(): void {
    if (this.#phase !== 'open' || this.#probing || this.#replies.busy) return
    this.#probing = true
    const settle: Settle = () => {
      this.#probing = false
    }
    this.#replies.add(EslCommand.api('uptime'), settle)
  }

  #fail(reason: EslDownReason, message: string, cause?: Error): void {
    this.#end(new EslConnectionLost(reason, message, { cause }))
  }

  #end(error: EslConnectionLost): void {
    if (this.#phase === 'ended') return
    const wanted = this.#phase === 'closing'
    this.#phase = 'ended'
    this.#silence.stop()
    for (const cancel of Object.values(this.#cancel)) cancel()
    this.#socket.destroy()
    const lost = wanted ? new EslConnectionLost('stopped', 'closed on our side', { cause: error }) : error
    this.#options.onEnd(lost)
    this.#replies.end(lost)
    this.#ended.resolve()
  }
}
