import type * as z from 'zod/mini'
import type { Log } from '../../adapters/log/logger.ts'
import type { Route } from '../../contracts/routes/route.ts'
import type { AccessScope } from '../../core/access/acl.ts'
import type { Precondition } from '../../core/requests/precondition.ts'
import type { Caller } from '../../core/access/token.ts'
import type { PortsOf } from '../../contracts/ports.ts'
import type { Clock, Randomness } from '../../core/time.ts'
import type { Bytes, Redirect, Reply } from './reply.ts'
import type { Settings } from './cloud.ts'

type Parsed<S> = S extends z.ZodMiniType ? z.output<S> : undefined
type Declared<R, K extends string> = R extends { readonly [P in K]: infer S } ? Parsed<S> : undefined

type BodyOf<R> = R extends { readonly rawBody: true }
  ? Uint8Array
  : R extends { readonly form: unknown }
    ? Declared<R, 'form'>
    : Declared<R, 'body'>

/** The input of a use case. Everything in it was checked, in the contract's order. */
export interface EndpointRequest<R extends Route> {
  readonly params: Declared<R, 'params'>
  readonly query: Declared<R, 'query'>
  /**
   * The JSON body, the form or the bytes, as the route declares it. An absent body counts as an empty object, or no
   * bytes.
   */
  readonly body: BodyOf<R>
  /** The caller; `null` if the route accepts no token. */
  readonly caller: R['authentication'] extends 'token' ? Caller : null
  /** The domain to work in. `null`: root works in all of them, or the route works in none. */
  readonly domain: R['domain'] extends 'required' | 'path' ? string : string | null
  /** The creation of the domain, epoch milliseconds; `undefined` without a domain. */
  readonly createdAt: R['domain'] extends 'required' | 'path' ? number : number | undefined
  /**
   * The start of the tenancy by the clocks of engines, epoch milliseconds. Anything that began earlier may belong to a
   * former domain of the same name. `undefined` without a domain.
   */
  readonly since: R['domain'] extends 'required' | 'path' ? number : number | undefined
  /** The scope that the caller's role grants: everything in the domain, or only the caller's own things. */
  readonly scope: AccessScope
  readonly precondition: Precondition
  /** Returns whether the client's `Accept` accepts a media type; without the header it accepts any. */
  readonly accepts: (mediaType: string) => boolean
  readonly requestId: string
  readonly sourceAddress: string
  readonly clock: Clock
  /** Under an `Idempotency-Key`, repeated runs of the request draw the same values. */
  readonly random: Randomness
  readonly settings: Settings
  /** Carries the request's id and domain on every line. */
  readonly log: Log
  /** Adds a text to the line of the audit trail. */
  readonly noteInAudit: (note: string) => void
  /** Names the actor for the audit trail, if the route's caller presents no credential. */
  readonly actAs: (username: string, domain: string) => void
}

/** The success body of a route. */
export type Success<R extends Route> = z.output<R['response']>

type Other<R extends Route> = R extends { readonly answers: readonly (infer F)[] }
  ? ('redirect' extends F ? Redirect : never) | ('bytes' extends F ? Bytes : never)
  : never

/**
 * Answers a request with the route's success body, with a {@link Reply} if a status or header belongs to it, or in
 * another form that the route names.
 */
export type UseCase<R extends Route> = (
  request: EndpointRequest<R>,
  ports: PortsOf<R['needs']>,
) => Promise<Success<R> | Reply<Success<R>> | Other<R>>
