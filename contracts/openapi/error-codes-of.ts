import type { ErrorCode } from '../../core/errors.ts'
import { errorCodes } from '../routes/shapes.ts'
import { type Route, limitsOf, looksUpDomain, needsOf, takesKey } from '../routes/route.ts'

/**
 * Returns every code that a route can answer, in the order of the table of codes: those of the wrapper's checks, of the
 * ports that it needs, and of its use case.
 */
export function errorCodesOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'bad_request',
    'invalid_field',
    'internal_error',
    'deadline_exceeded',
    ...bodyCodes(route),
    ...accessCodes(route),
    ...stateCodes(route),
    ...portCodes(route),
    ...(route.errors ?? []),
  ])
  return errorCodes.filter((code) => codes.has(code))
}

const readsOnly = ({ method }: Route) => method === 'GET' || method === 'HEAD'

/** Returns whether a route takes a body. */
export function takesBody({ body, form, rawBody }: Route): boolean {
  return body !== undefined || form !== undefined || rawBody === true
}

function bodyCodes(route: Route): readonly ErrorCode[] {
  if (readsOnly(route)) return route.query === undefined ? [] : ['missing_field']
  return ['payload_too_large', 'unsupported_media_type', 'invalid_json', 'missing_field']
}

function accessCodes(route: Route): readonly ErrorCode[] {
  const { authentication, permission, domain } = route
  return [
    ...(authentication === 'token' ? (['invalid_token', 'token_expired'] as const) : []),
    ...(authentication === 'engine' ? (['invalid_credentials'] as const) : []),
    ...(permission === null ? [] : (['permission_denied'] as const)),
    ...(looksUpDomain(route) ? (['permission_denied', 'not_found'] as const) : []),
    ...(looksUpDomain(route) && domain !== 'optional' ? (['domain_required'] as const) : []),
    ...(limitsOf(route).length > 0 ? (['rate_limited'] as const) : []),
  ]
}

function stateCodes(route: Route): readonly ErrorCode[] {
  return [
    ...(route.params === undefined ? [] : (['not_found'] as const)),
    ...(takesKey(route) ? (['idempotency_conflict', 'in_progress'] as const) : []),
    ...(readsOnly(route) || route.method === 'POST' ? [] : (['precondition_failed'] as const)),
  ]
}

function portCodes(route: Route): readonly ErrorCode[] {
  const needs = needsOf(route)
  const runsCommands = needs.engine?.some((method) => method === 'run') === true
  return [
    ...(Object.keys(needs).length > 0 ? (['store_unavailable'] as const) : []),
    ...(runsCommands ? (['engine_refused', 'engine_unavailable', 'engine_timeout', 'outcome_unknown'] as const) : []),
    ...(needs.cdrs === undefined ? [] : (['search_unavailable', 'search_timeout'] as const)),
  ]
}
