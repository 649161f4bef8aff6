import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { DomainError, type ErrorCode } from '../../core/errors.ts'
import { errorResponse, requestIdOf } from '../../functions/endpoint/response.ts'
import { FunctionFailed } from '../functions/function-host.ts'
import { BodyTooLarge } from '../gate/read-body.ts'
import { TooManyWaiting } from './admission.ts'
import { MalformedResult, type Reply, functionReply } from './function-reply.ts'

type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/**
 * Returns the reply to a request that no function answered, in the contract's form. Throws an error that is not a
 * failure of the platform: the client has disconnected.
 */
export function failureReply(error: unknown, asked: Asked): Reply {
  if (error instanceof BodyTooLarge) return refusalReply(asked, 'payload_too_large', error.message)
  if (error instanceof TooManyWaiting) return refusalReply(asked, 'store_unavailable', `${error.message}; try again`)
  if (error instanceof MalformedResult) return refusalReply(asked, 'internal_error', 'internal error')
  if (!(error instanceof FunctionFailed)) throw error
  const [code, text] = failures[error.reason]
  return error.reason === 'crash' && isSafe(asked)
    ? refusalReply(asked, 'store_unavailable', cutOff)
    : refusalReply(asked, code, text)
}

/** Returns whether a request changes nothing, so that it can be repeated. */
export function isSafe({ method }: Asked): boolean {
  return method === 'GET' || method === 'HEAD'
}

const cutOff = 'the work on the request was cut off; try again'

const failures: Record<FunctionFailed['reason'], readonly [ErrorCode, string]> = {
  error: ['internal_error', 'internal error'],
  timeout: ['deadline_exceeded', 'the request took too long; what it asked for may still happen'],
  crash: ['outcome_unknown', 'the work on the request was cut off; what it asked for may have happened'],
}

/** Returns a refusal by the gateway itself, in the contract's form. */
export function refusalReply({ headers }: Pick<Asked, 'headers'>, code: ErrorCode, text: string): Reply {
  const { 'x-request-id': given } = headers
  const requestId = requestIdOf({ 'x-request-id': typeof given === 'string' ? given : undefined }, randomUUID)
  return functionReply(errorResponse(new DomainError(code, text), requestId))
}
