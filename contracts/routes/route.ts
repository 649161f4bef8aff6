import type * as z from 'zod/mini'
import type { AclAction, AclResource } from '../../core/access/acl.ts'
import type { Needs } from '../../core/ports.ts'

/** HTTP methods that routes use. */
export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a caller's role must hold. With `own`, the same action on one's own things (`ro`) is enough. */
export interface Permission {
  readonly resource: AclResource
  readonly action: AclAction
  readonly own?: boolean
  /** What must be held besides. */
  readonly and?: { readonly resource: AclResource; readonly action: AclAction }
}

/**
 * How the domain that an endpoint works in is found. A caller bound to a domain always works in his own; this says
 * what root must do: `required` (root names one), `optional` (root may leave it out and sees all), `path` (the
 * parameter `domain_name` of the path names one, for everybody), `none` (the endpoint does not work in a domain).
 */
export type DomainRule = 'required' | 'optional' | 'path' | 'none'

/**
 * What requests are counted by: the token, the domain of the caller, the source of logins, calls placed in the domain,
 * searches of the domain.
 */
export const limitNames = ['token', 'domain', 'login', 'call', 'search'] as const

/** A form of a success: see {@link Route.answers}. */
export type AnswerForm = 'json' | 'redirect' | 'bytes'

/** Requests of one token that may be under way at once: searches. */
export const concurrencyNames = ['searching'] as const

/** One of {@link concurrencyNames}. */
export type ConcurrencyName = (typeof concurrencyNames)[number]

/** One of {@link limitNames}. */
export type LimitName = (typeof limitNames)[number]

/** The one declaration of an endpoint. Everything else about it is derived from here. */
export interface Route {
  /** Unique; also the name of the handler file, in kebab case, in the folder of the group. */
  readonly operationId: string
  /** The resource group: folder of the handler, nested stack of the function. */
  readonly group: string
  readonly method: HttpMethod
  /** Methods that do the same as `method`. */
  readonly otherMethods?: readonly HttpMethod[]
  /** Canonical path; parameters in braces. */
  readonly path: string
  readonly summary: string
  /** What every success says in the header `X-Callplane-Notice`: one plain ASCII sentence about what it does not do yet. */
  readonly notice?: string
  /** `token`: a user's or a domain's token. `engine`: the engine's own credential. `none`: open to all. */
  readonly authentication: 'token' | 'engine' | 'none'
  /** What the caller's role must hold; `null`: nothing beyond being authentic. */
  readonly permission: Permission | null
  readonly domain: DomainRule
  /** The port methods that the use case itself calls; {@link needsOf} adds what the wrapper calls before and after it. */
  readonly needs: Needs
  readonly params?: z.ZodMiniType
  readonly query?: z.ZodMiniType
  /**
   * Query parameters whose text is never refused, whatever bytes it holds: control characters reach the use case, and
   * bytes that are no UTF-8 arrive as U+FFFD. The use case replaces both before the text goes anywhere.
   */
  readonly uncheckedQuery?: readonly string[]
  readonly body?: z.ZodMiniType
  /** Form-encoded request instead of JSON: the engine's own lookups. */
  readonly form?: z.ZodMiniType
  /** Takes a body of any media type, as the bytes that came, and reads it itself; instead of `body` and `form`. */
  readonly rawBody?: true
  /** The success body. */
  readonly response: z.ZodMiniType
  /**
   * What forms a success may have: `json` (or `responseType`), a `redirect`, `bytes` of any media type; the body of
   * `response` alone where not given.
   */
  readonly answers?: readonly AnswerForm[]
  /** The media type of the success body; JSON where not given. */
  readonly responseType?: 'application/json' | 'text/xml'
  /** The most bytes that a request body may have; 256 KiB where not given. */
  readonly maxBodyBytes?: number
  /** Whether the audit trail gets a line for each call; by default when the method changes something. */
  readonly audited?: boolean
  /** Whether an `Idempotency-Key` is taken; by default by every POST with a token. Not by searches and dry runs. */
  readonly idempotent?: boolean
  /** Whether the answer shows a secret: what is kept of it for an `Idempotency-Key` is then encrypted. */
  readonly showsSecret?: boolean
  /**
   * Whether it is about one record with versions: a GET then answers its `ETag`, and a change heeds `If-Match`. Changes
   * of what has no versions refuse any `If-Match` but `*`.
   */
  readonly versioned?: boolean
  /** What its requests are counted by besides what all requests with a token are counted by. */
  readonly limits?: readonly LimitName[]
  /**
   * Refuses a request whose counts are not known in time (429), instead of letting it through: for what is costly, or
   * worth guessing at.
   */
  readonly mustBeCounted?: true
  /** Whose number of requests under way, for one token, it belongs to. */
  readonly atOnce?: ConcurrencyName
  /** How much memory its function gets, in MB; 512 where not given. */
  readonly memoryMb?: number
}

/** Keeps the exact types of a declaration while checking its form. */
export function route<const R extends Route>(declaration: R): R {
  return declaration
}

/** What the check of a user's token needs. */
const tokenNeeds = {
  credentials: ['read', 'readDomainToken'],
  sessions: ['touch', 'meet'],
  // Root's tokens end with his password.
  secrets: ['rootVersion'],
  // A token that is used from a new source is told in the trail, whatever it is used for.
  audit: ['append'],
} as const satisfies Needs
/** What the check of the engine's credential needs. */
const engineNeeds = { secrets: ['engineCredential'] } as const satisfies Needs
const auditNeeds = { audit: ['append'] } as const satisfies Needs

/** Whether calls of a route are written to the audit trail. */
export function isAudited(declared: Route): boolean {
  return declared.audited ?? (declared.method !== 'GET' && declared.authentication !== 'engine')
}

/** Whether a request may bring an `Idempotency-Key`. */
export function takesKey({ method, authentication, idempotent }: Route): boolean {
  return method === 'POST' && authentication === 'token' && idempotent !== false
}

/** What the requests of a route are counted by. */
export function limitsOf({ authentication, limits = [] }: Route): readonly LimitName[] {
  return authentication === 'token' ? ['token', 'domain', ...limits] : limits
}

/**
 * Whether the domain of a request is looked up. Only root's is, since root names one: every other caller's domain comes
 * with its credential. The caller is known only once the request is there, so every such route needs the read.
 */
export function looksUpDomain({ authentication, domain }: Route): boolean {
  return authentication === 'token' && domain !== 'none'
}

const domainNeeds = { domains: ['read'] } as const satisfies Needs
const keyNeeds = { idempotency: ['create', 'takeOver', 'complete', 'release'] } as const satisfies Needs
/** What the encryption of answers needs. */
const secretAnswerNeeds = { secretBox: ['seal', 'open'] } as const satisfies Needs
const concurrencyNeeds = { rateLimits: ['enter', 'leave'] } as const satisfies Needs
const limitNeeds = { rateLimits: ['take'] } as const satisfies Needs

/**
 * Returns everything that a route's function may reach: what its use case needs, and what authentication, sessions,
 * the domain's lookup, audit, request keys and limits need.
 */
export function needsOf(declared: Route): Needs {
  const parts: Needs[] = [declared.needs]
  if (declared.authentication === 'token') parts.push(tokenNeeds)
  if (declared.authentication === 'engine') parts.push(engineNeeds)
  if (looksUpDomain(declared)) parts.push(domainNeeds)
  if (isAudited(declared)) parts.push(auditNeeds)
  if (takesKey(declared)) parts.push(keyNeeds)
  if (takesKey(declared) && declared.showsSecret === true) parts.push(secretAnswerNeeds)
  if (declared.atOnce !== undefined) parts.push(concurrencyNeeds)
  if (limitsOf(declared).length > 0) parts.push(limitNeeds)
  const merged: Record<string, string[]> = {}
  for (const part of parts) {
    for (const [port, methods] of Object.entries(part)) {
      merged[port] = [...new Set([...(merged[port] ?? []), ...methods])]
    }
  }
  return merged
}
