import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { type Log, createLogger } from '../adapters/log/logger.ts'
import { systemRandomness } from '../adapters/crypto/system-randomness.ts'
import { routes } from '../contracts/routes/index.ts'
import { publicUrl } from '../contracts/settings/platform.ts'
import { readVariable } from '../contracts/settings/setting.ts'
import { DomainError } from '../core/errors.ts'
import { didYouMean } from '../core/requests/nearest.ts'
import {
  type HttpResponse,
  emptyResponse,
  errorResponse,
  requestIdOf,
  withTransportSecurity,
} from './endpoint/response.ts'
import { readReference } from '../contracts/routes/descriptions.ts'
import { findPath, pathsLike } from './endpoint/canonical-path.ts'

/**
 * Answers requests that no route matches: 308 to the canonical name of a path, 204 to a preflight without allowed
 * origins, 405 with `Allow` to a wrong method, 302 to the API reference for a browser at the root, 404 to everything
 * else, with the nearest known path.
 */
export function createUnmatched(log: Log, publicUrl = ''): (event: APIGatewayProxyEventV2) => Promise<HttpResponse> {
  return async (event) => {
    const requestId = requestIdOf(event.headers, () => systemRandomness.uuid())
    const answer = withTransportSecurity(answerUnmatched(event, requestId), publicUrl)
    log.info('request', { requestId, operation: 'unmatched', status: answer.statusCode })
    return answer
  }
}

export const handler = createUnmatched(
  createLogger('unmatched', { env: process.env }),
  readVariable(publicUrl, process.env),
)

function answerUnmatched(event: APIGatewayProxyEventV2, requestId: string): HttpResponse {
  const { method } = event.requestContext.http
  const known = findPath(event.rawPath, routes)
  if (known === undefined && method === 'GET' && event.rawPath === '/' && isBrowser(event))
    return emptyResponse(302, requestId, { Location: readReference.path, Vary: 'Accept' })
  if (known === undefined) {
    const near = didYouMean(event.rawPath, pathsLike(event.rawPath, routes))
    return errorResponse(new DomainError('not_found', `there is no such path${near}`), requestId)
  }
  const allow = { Allow: [...known.methods, 'OPTIONS'].join(', ') }
  if (method === 'OPTIONS') return emptyResponse(204, requestId, allow)
  // An allowed method on the right path arrives here if the path was percent-encoded without need.
  if (!known.isCanonical || known.methods.includes(method)) {
    const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`
    return emptyResponse(308, requestId, { Location: known.canonical + query })
  }
  const refusal = new DomainError('method_not_allowed', `this path takes ${known.methods.join(', ')}`)
  return errorResponse(refusal, requestId, allow)
}

function isBrowser({ headers }: APIGatewayProxyEventV2): boolean {
  return /(?:^|,)\s*text\/html\b/.test(headers['accept'] ?? '')
}
