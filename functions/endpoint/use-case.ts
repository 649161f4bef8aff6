import type * as z from 'zod/mini'
import type { Log } from '../../adapters/log/logger.ts'
import type { Route } from '../../contracts/routes/route.ts'
import type { AccessScope } from '../../core/access/acl.ts'
import type { Precondition } from '../../core/concurrency/precondition.ts'
import type { Caller } from '../../core/auth/token.ts'
import type { Clock, PortsOf, Randomness } from '../../core/ports.ts'
import type { Bytes, Redirect, Reply } from './reply.ts'
import type { Settings } from './settings.ts'

type Parsed<S> = S extends z.ZodMiniType ? z.output<S> : undefined
type Declared<R, K extends string> = R extends { readonly [P in K]: infer S } ? Parsed<S> : undefined

type BodyOf<R> = R extends { readonly rawBody: true }
  ? Uint8Array
  : R extends { readonly form: unknown }
    ? Declared<R, 'form'>
    : Declared<R, 'body'>

/** What a use case is given: everything was checked, in the contract's order, before it is called. */
export interface EndpointRequest<R extends Route> {
  readonly params: Declared<R, 'params'>
  readonly query: Declared<R, 'query'>
  /** The JSON body, the form or the bytes, as the route takes it. An absent body counts as an empty object, or no bytes. */
  readonly body: BodyOf<R>
  /** Who asks; `null` where the route takes no token. */
  readonly caller: R['authentication'] extends 'token' ? Caller : null
  /** The domain to work in. `null` is root working in all of them, or a route that works in none. */
  readonly domain: R['domain'] extends 'required' | 'path' ? string : string | null
  /**
   * Nothing that began before this moment, epoch milliseconds, is of the domain: it may be of an earlier one of its name.
   * `undefined` where there is no domain.
   */
  readonly since: R['domain'] extends 'required' | 'path' ? number : number | undefined
  /** What the caller's role granted: everything in the domain, or only what is the caller's own. */
  readonly scope: AccessScope
  /** What the request demands of the record that it changes. */
  readonly precondition: Precondition
  /** Whether the client's `Accept` takes a media type; without one it takes any. */
  readonly accepts: (mediaType: string) => boolean
  readonly requestId: string
  readonly sourceAddress: string
  readonly clock: Clock
  /** Under an `Idempotency-Key`, the same values each time that the request is run. */
  readonly random: Randomness
  readonly settings: Settings
  /** Carries the request's id and domain on every line. */
  readonly log: Log
  /** Names who acts, for the audit trail of a route whose caller no credential tells. */
  readonly actAs: (username: string, domain: string) => void
}

/** The success body of a route. */
export type Success<R extends Route> = z.output<R['response']>

/** What a route may answer besides its success body. */
type Other<R extends Route> = R extends { readonly answers: readonly (infer F)[] }
  ? ('redirect' extends F ? Redirect : never) | ('bytes' extends F ? Bytes : never)
  : never

/**
 * Answers a request with the route's success body, with a {@link Reply} when a status or header goes with it, or in
 * another form that the route names.
 */
export type UseCase<R extends Route> = (
  request: EndpointRequest<R>,
  ports: PortsOf<R['needs']>,
) => Promise<Success<R> | Reply<Success<R>> | Other<R>>
