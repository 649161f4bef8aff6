import type * as z from 'zod/mini'
import type { AclAction, AclResource } from '../../core/access/acl.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Needs } from '../ports.ts'

/** HTTP methods that routes use. */
export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A permission that the caller's role must hold. With `own`, the action on the caller's own things (`ro`) suffices. */
export interface Permission {
  readonly resource: AclResource
  readonly action: AclAction
  readonly own?: boolean
  /** A second permission that must be held as well. */
  readonly and?: { readonly resource: AclResource; readonly action: AclAction }
  /** Another one that suffices in its place, for a part of what is shown; with `own`, for the caller's own. */
  readonly or?: { readonly resource: AclResource; readonly action: AclAction; readonly own?: boolean }
}

/**
 * The source of the domain that an endpoint works in. A caller that is bound to a domain always works in that one. This
 * rule says what root must do: `required` (root names one), `optional` (root may leave it out and sees all), `path`
 * (the parameter `domain_name` of the path names one, for every caller), `none` (the endpoint does not work in a
 * domain).
 */
export type DomainRule = 'required' | 'optional' | 'path' | 'none'

/**
 * The counters of rate limits: the token, the domain of the caller, the source of logins, calls placed in the domain,
 * searches of the domain.
 */
export const limitNames = ['token', 'domain', 'login', 'call', 'search'] as const

/** A media type of a success body that is text. */
export type TextType = 'application/json' | 'text/html' | 'text/plain' | 'text/xml'

/** A form of a success: see {@link Route.answers}. */
export type AnswerForm = 'json' | 'redirect' | 'bytes'

/** The concurrency limits, each counted per token: searches. */
export const concurrencyNames = ['searching'] as const

/** One of {@link concurrencyNames}. */
export type ConcurrencyName = (typeof concurrencyNames)[number]

/** One of {@link limitNames}. */
export type LimitName = (typeof limitNames)[number]

/** The one declaration of an endpoint. Everything else about it is derived from here. */
export interface Route {
  /** Unique; also the name of the handler file, in kebab case, in the folder of the group. */
  readonly operationId: string
  /** The resource group: folder of the handler, log group of the function. */
  readonly group: string
  readonly method: HttpMethod
  /** Methods that do the same as `method`. */
  readonly otherMethods?: readonly HttpMethod[]
  /** Canonical path; parameters in braces. */
  readonly path: string
  readonly summary: string
  /** Further sentences for the API description. It already has those about permission, domain, limits and headers. */
  readonly description?: string
  /** `token`: a user's or a domain's token. `engine`: the engine's own credential. `none`: no credential. */
  readonly authentication: 'token' | 'engine' | 'none'
  /** The permission that the caller's role must hold; `null`: every authenticated caller may call it. */
  readonly permission: Permission | null
  readonly domain: DomainRule
  /**
   * The port methods that the use case itself calls; {@link needsOf} adds those that the wrapper calls before and after
   * it.
   */
  readonly needs: Needs
  readonly params?: z.ZodMiniType
  readonly query?: z.ZodMiniType
  /**
   * Query parameters whose text is never refused, whatever bytes it has: control characters reach the use case, and
   * bytes that are not UTF-8 arrive as U+FFFD. The use case replaces both before it passes the text on.
   */
  readonly uncheckedQuery?: readonly string[]
  readonly body?: z.ZodMiniType
  /** Form-encoded request instead of JSON: the engine's own lookups. */
  readonly form?: z.ZodMiniType
  /** Accepts a body of any media type, as the bytes that came, and parses it itself; instead of `body` and `form`. */
  readonly rawBody?: true
  readonly response: z.ZodMiniType
  /**
   * The possible forms of a success: `json` (or `responseType`), a `redirect`, `bytes` of any media type. By default
   * only the body of `response`.
   */
  readonly answers?: readonly AnswerForm[]
  /** Statuses other than 200 that also have the body of `response`. */
  readonly otherStatuses?: readonly number[]
  /**
   * The codes with which the use case refuses, in addition to those that follow from the rest of the record
   * (contracts/openapi/error-codes-of.ts).
   */
  readonly errors?: readonly ErrorCode[]
  /** The media type of the success body; JSON by default. */
  readonly responseType?: TextType
  /**
   * Files that the function finds in the folder `files` next to its code: by name, their paths in the repository or in
   * an installed package.
   */
  readonly files?: Readonly<Record<string, string>>
  /** The most bytes that a request body may have; 256 KiB by default. */
  readonly maxBodyBytes?: number
  /** Whether the audit trail gets a line for each call; by default when the method changes something. */
  readonly audited?: boolean
  /** Whether an `Idempotency-Key` is accepted; by default for every POST with a token, except searches and dry runs. */
  readonly idempotent?: boolean
  /** Whether the answer contains a secret; if so, the copy that is kept for an `Idempotency-Key` is encrypted. */
  readonly showsSecret?: boolean
  /**
   * Whether the endpoint handles one record with versions: a GET then returns its `ETag` and respects `If-None-Match`,
   * and a change respects both it and `If-Match`. A change of a record without versions refuses any `If-Match` but `*`.
   */
  readonly versioned?: boolean
  /** Whether a PUT creates the record that its path names, so that `If-None-Match: *` is true of it. */
  readonly creates?: true
  /** The rate limits that apply in addition to those of all requests with a token. */
  readonly limits?: readonly LimitName[]
  /**
   * Refuses a request (429) when its counters cannot be read in time, instead of admitting it: for requests that are
   * costly, or that guess at secrets.
   */
  readonly mustBeCounted?: true
  /** The per-token concurrency limit that this route counts against. */
  readonly atOnce?: ConcurrencyName
  /** The memory of its function in MB; 512 by default. */
  readonly memoryMb?: number
  /**
   * The time limit of its function, for a caller that waits no longer: a later answer is useless, and an early refusal
   * is better. 29 seconds by default.
   */
  readonly timeoutSeconds?: number
}

/** Keeps the exact types of a declaration while checking its form. */
export function route<const R extends Route>(declaration: R): R {
  return declaration
}

const tokenNeeds = {
  credentials: ['read', 'readDomainToken'],
  sessions: ['touch', 'meet'],
  // Root's tokens end when root's password changes.
  secrets: ['rootVersion'],
  // Every request may find that its token is used from a new source, and writes that to the trail.
  audit: ['append'],
} as const satisfies Needs
const engineNeeds = { secrets: ['engineCredential'] } as const satisfies Needs
const auditNeeds = { audit: ['append'] } as const satisfies Needs

/** Returns whether calls of a route are written to the audit trail. */
export function isAudited(declared: Route): boolean {
  return declared.audited ?? (declared.method !== 'GET' && declared.authentication !== 'engine')
}

/** Returns whether a request may bring an `Idempotency-Key`. */
export function takesKey({ method, authentication, idempotent }: Route): boolean {
  return method === 'POST' && authentication === 'token' && idempotent !== false
}

/** Returns the rate limits of a route. */
export function limitsOf({ authentication, limits = [] }: Route): readonly LimitName[] {
  return authentication === 'token' ? ['token', 'domain', ...limits] : limits
}

/**
 * Returns whether the domain of a request is looked up. Only root's is, since root names one; every other caller's
 * domain comes with its credential. The caller is known only at run time, so every such route needs the read.
 */
export function looksUpDomain({ authentication, domain }: Route): boolean {
  return authentication === 'token' && domain !== 'none'
}

const domainNeeds = { domains: ['read'] } as const satisfies Needs
const keyNeeds = { idempotency: ['create', 'takeOver', 'complete', 'release'] } as const satisfies Needs
const secretAnswerNeeds = { secretBox: ['seal', 'open'] } as const satisfies Needs
const concurrencyNeeds = { rateLimits: ['enter', 'leave'] } as const satisfies Needs
const limitNeeds = { rateLimits: ['take'] } as const satisfies Needs

/**
 * Returns everything that a route's function may reach: the needs of its use case, and those of authentication,
 * sessions, the domain's lookup, audit, request keys and limits.
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
