import { NodeHttpHandler } from '@smithy/node-http-handler'
import { checkTimeLimit, timeLimitSignal } from '../time-limit.ts'

/** Connecting takes milliseconds within a region; a process that is busy for a second must not take that for a failure. */
const CONNECT_MS = 2_000

/** These services answer within 50 ms; three attempts end well before the 28 s that a request may take. */
const ANSWER_MS = 3_000

/** Time for the rest of an answer after its headers had to be there. */
const BODY_MS = 2_000

type Handle = NodeHttpHandler['handle']

/**
 * Sends the requests of all clients over connections that stay open. No attempt is sent after the time limit of the
 * current work, and an attempt under way is aborted then ({@link checkTimeLimit}). Every attempt ends, also one whose
 * answer stops halfway.
 */
class LimitedHandler extends NodeHttpHandler {
  override async handle(
    request: Parameters<Handle>[0],
    options: NonNullable<Parameters<Handle>[1]> = {},
  ): ReturnType<Handle> {
    checkTimeLimit()
    const { requestTimeout = ANSWER_MS, abortSignal: given } = options
    const signals = [AbortSignal.timeout(requestTimeout + BODY_MS), timeLimitSignal(), given]
    const abortSignal = AbortSignal.any(signals.filter((signal) => signal instanceof AbortSignal))
    return super.handle(request, { ...options, requestTimeout, abortSignal })
  }
}

/** A peer that takes or gives no byte of an object for so long is gone, however much time there is. */
const SILENCE_MS = 10_000

/** Requests never queue for a connection: the wait would count as a failure to connect. */
const agent = { keepAlive: true, maxSockets: Infinity }

const options = {
  httpAgent: agent,
  httpsAgent: agent,
  connectionTimeout: CONNECT_MS,
  requestTimeout: ANSWER_MS,
  throwOnRequestTimeout: true,
} as const

/** The one handler of the process, so that its clients share their connections. */
export const requestHandler = new LimitedHandler(options)

/** The handler for objects, whose bodies take longer than other answers. */
export const objectRequestHandler = new LimitedHandler({ ...options, socketTimeout: SILENCE_MS })
