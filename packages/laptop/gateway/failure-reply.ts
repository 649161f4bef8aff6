import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { FunctionFailed } from '../functions/function-host.ts'
import { BodyTooLarge } from '../gate/read-body.ts'
import { TooManyWaiting } from './admission.ts'
import { MalformedResult, type Reply, functionReply } from './function-reply.ts'

/** Why the gateway itself refuses a request, or has no answer of a function. */
export type RefusalCode =
  | 'bad_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'internal_error'
  | 'store_unavailable'
  | 'deadline_exceeded'
  | 'outcome_unknown'

/** Returns a refusal as a function of the API would answer it; `headers` are those of the request. */
export type Refuse = (code: RefusalCode, text: string, headers: IncomingHttpHeaders) => unknown

const statuses: Readonly<Record<RefusalCode, number>> = {
  bad_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  internal_error: 500,
  store_unavailable: 503,
  deadline_exceeded: 504,
  outcome_unknown: 500,
}

/** Refuses as an HTTP API does where nobody gave it another form. */
export const plainRefusal: Refuse = (code, message) => ({
  statusCode: statuses[code],
  body: JSON.stringify({ code, message }),
})

type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/**
 * Returns the reply to a request that no function answered. Throws an error that is not a failure of the platform: the
 * client has disconnected.
 */
export function failureReply(error: unknown, asked: Asked, refuse: Refuse): Reply {
  const refusal = (code: RefusalCode, text: string) => functionReply(refuse(code, text, asked.headers))
  if (error instanceof BodyTooLarge) return refusal('payload_too_large', error.message)
  if (error instanceof TooManyWaiting) return refusal('store_unavailable', `${error.message}; try again`)
  if (error instanceof MalformedResult) return refusal('internal_error', 'internal error')
  if (!(error instanceof FunctionFailed)) throw error
  if (error.reason === 'crash' && isSafe(asked)) return refusal('store_unavailable', cutOff)
  return refusal(...failures[error.reason])
}

/** Returns whether a request changes nothing, so that it can be repeated. */
export function isSafe({ method }: Pick<Asked, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

const cutOff = 'the work on the request was cut off; try again'

const failures: Record<FunctionFailed['reason'], readonly [RefusalCode, string]> = {
  error: ['internal_error', 'internal error'],
  timeout: ['deadline_exceeded', 'the request took too long; what it asked for may still happen'],
  crash: ['outcome_unknown', 'the work on the request was cut off; what it asked for may have happened'],
}
