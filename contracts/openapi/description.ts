import { type HttpMethod, type Permission, type Route, isAudited, limitsOf, takesKey } from '../routes/route.ts'

const actionNames = { c: 'create', r: 'read', u: 'update', d: 'delete' } as const

/** Returns the text that describes an operation: the caller's rights, the domain, and what else its record says. */
export function descriptionOf(route: Route, method: HttpMethod): string {
  const isChange = method !== 'GET' && method !== 'HEAD' && method !== 'POST'
  return [
    ...(route.description === undefined ? [] : [route.description]),
    callers(route),
    ...domainRule(route),
    ...(takesKey(route) ? ['Accepts an `Idempotency-Key`.'] : []),
    ...(route.versioned === true && method === 'GET' ? ['The answer has the `ETag` of the record.'] : []),
    ...(route.versioned === true && isChange ? ['Respects `If-Match` and `If-None-Match`.'] : []),
    ...(route.showsSecret === true ? ['The answer shows a secret, once.'] : []),
    ...limits(route),
    ...(isAudited(route) ? ['The audit trail gets a line.'] : []),
  ].join(' ')
}

function callers({ authentication, permission }: Route): string {
  if (authentication === 'none') return 'Needs no credential.'
  if (authentication === 'engine') return "Needs the engine's credential."
  if (permission === null) return 'Any valid token may call it.'
  const second = permission.and === undefined ? '' : `, and to ${rightTo(permission.and)}`
  const own = permission.own === true ? `; with \`${permission.action}o\`, only the caller's own things` : ''
  return `Needs the permission to ${rightTo(permission)}${second}${own}${instead(permission)}.`
}

function instead({ or }: Permission): string {
  if (or === undefined) return ''
  const own = or.own === true ? `, and with \`${or.action}o\` the caller's own` : ''
  return `; with that to ${rightTo(or)}, a part of them${own}`
}

function rightTo({ resource, action }: Pick<Permission, 'resource' | 'action'>): string {
  return `${actionNames[action]} \`${resource}\``
}

function domainRule({ authentication, domain }: Route): readonly string[] {
  if (authentication !== 'token') return []
  if (domain === 'required') return ['Root must name a domain.']
  if (domain === 'optional') return ['Root may leave the domain out and then sees all domains.']
  return []
}

/** Names of limits whose plural is not the name with an s. */
const counted: Readonly<Record<string, string>> = { search: 'searches' }

function limits(route: Route): readonly string[] {
  const own = limitsOf(route).filter((name) => name !== 'token' && name !== 'domain')
  return own.length === 0
    ? []
    : [`Counts against the limit of ${own.map((name) => counted[name] ?? `${name}s`).join(' and ')}.`]
}
