import { randomUUID } from 'node:crypto'
import { DomainError } from '../../core/errors.ts'
import { errorResponse, requestIdOf } from '../../functions/endpoint/response.ts'
import type { Refuse } from '@callplane/laptop'

/** Refuses in the contract's form. */
export const contractRefusal: Refuse = (code, text, { 'x-request-id': given }) => {
  const requestId = requestIdOf({ 'x-request-id': typeof given === 'string' ? given : undefined }, randomUUID)
  return errorResponse(new DomainError(code, text), requestId)
}
