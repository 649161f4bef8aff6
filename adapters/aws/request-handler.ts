import { NodeHttpHandler } from '@smithy/node-http-handler'
import { checkTimeLimit, timeLimitSignal } from '../time-limit.ts'

/** Times of one attempt, in milliseconds. */
export interface AttemptLimits {
  /** Until the headers of the answer are there; a call may ask for more. */
  readonly answerMs: number
  /** For the rest of the answer, where the work has no time limit of its own. */
  readonly bodyMs: number
  /** Without a byte in either direction; not limited where absent. */
  readonly silenceMs?: number
}

/** Connecting takes milliseconds within a region; a process that is busy for a second must not take it for one. */
const CONNECT_MS = 2_000

/**
 * These services answer within 50 ms; three attempts end well before the 28 s that a request may take. Objects come and
 * go for longer than 2 s after their headers, which their callers allow for.
 */
const times = { answerMs: 3_000, bodyMs: 2_000 }

/** Requests never queue for a connection: the wait would count as a failure to connect. */
const agent = { keepAlive: true, maxSockets: Infinity }

type Handle = NodeHttpHandler['handle']

/**
 * Sends the requests of clients over connections that stay open. No attempt is sent after the time limit of the current
 * work, and an attempt under way is aborted then ({@link checkTimeLimit}). Work without a limit gives each attempt a
 * time of its own. So every attempt ends, also one whose answer stops halfway.
 */
export class LimitedHandler extends NodeHttpHandler {
  readonly limits: AttemptLimits

  constructor(limits: AttemptLimits) {
    super({
      httpAgent: agent,
      httpsAgent: agent,
      connectionTimeout: CONNECT_MS,
      requestTimeout: limits.answerMs,
      throwOnRequestTimeout: true,
      ...(limits.silenceMs === undefined ? {} : { socketTimeout: limits.silenceMs }),
    })
    this.limits = limits
  }

  override async handle(
    request: Parameters<Handle>[0],
    options: NonNullable<Parameters<Handle>[1]> = {},
  ): ReturnType<Handle> {
    checkTimeLimit()
    const { requestTimeout = this.limits.answerMs, abortSignal: given } = options
    const ending = timeLimitSignal() ?? AbortSignal.timeout(requestTimeout + this.limits.bodyMs)
    const abortSignal = given instanceof AbortSignal ? AbortSignal.any([ending, given]) : ending
    return super.handle(request, { ...options, requestTimeout, abortSignal })
  }
}

/** The handler of most clients, which share their connections. A service that says nothing for 3 s is tried again. */
export const requestHandler = new LimitedHandler({ ...times, silenceMs: times.answerMs })

/** The handler for objects. A peer that takes or gives no byte of one for 10 s is gone, however much time there is. */
export const objectRequestHandler = new LimitedHandler({ ...times, silenceMs: 10_000 })

/** The handler for long polls, which are silent until there is a message. */
export const pollRequestHandler = new LimitedHandler(times)
