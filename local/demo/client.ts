import * as z from 'zod/mini'
import type { Route } from '../../contracts/routes/route.ts'
import { errorBody } from '../../contracts/routes/shapes.ts'

/** The inputs of a call, in addition to its route's declaration. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Calls the management API by its route records, as one user. */
export interface Client {
  /**
   * The success body, checked against the route's declaration. Asks for JSON, a link to a recording included, and follows
   * no redirect. Throws {@link CallRefused} on any other answer, naming its status.
   */
  call<R extends Route>(route: R, input?: CallInput): Promise<z.infer<R['response']>>
}

const timeoutMs = 30_000

/** The answer of a call that was no success. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A client that presents the token given, or no credential. */
export function clientOf(baseUrl: string, token?: { readonly key: string; readonly token: string }): Client {
  const credential = token === undefined ? {} : { 'x-key': token.key, 'x-access-token': token.token }
  return {
    async call<R extends Route>(route: R, { params = {}, query = {}, body }: CallInput = {}) {
      const url = new URL(pathOf(route, params), baseUrl)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      const response = await fetch(url, {
        method: route.method,
        headers: {
          accept: 'application/json',
          ...credential,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect may lead to another host, such as the object store, and `fetch` would send it the credential.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const answer: unknown = await response.json()
      if (!response.ok) {
        const what = `${route.method} ${url.pathname} was answered ${response.status}: ${reasonOf(answer)}`
        throw new CallRefused(response.status, what)
      }
      return z.parse<R['response']>(route.response, answer)
    },
  }
}

/** A route's path with its parameters filled in, percent-encoded. */
export function pathOf(route: Route, params: Readonly<Record<string, string>> = {}): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function reasonOf(answer: unknown): string {
  const refusal = z.safeParse(errorBody, answer)
  return refusal.success ? `${refusal.data.code}, ${refusal.data.info}` : JSON.stringify(answer)
}
