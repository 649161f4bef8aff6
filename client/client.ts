import { CallplaneError, errorOf } from './error.ts'
import { type Operations, operations } from './operations.ts'
import { type RetryDeps, pause, withRetries } from './retry.ts'

/** A token of a login, or a static token of a domain, which has no key. */
export interface Token {
  readonly token: string
  readonly key?: string
}

/** A user and the way to its password. */
export interface Login {
  readonly username: string
  readonly password: string
  /** Returns a one-time code; needed for users with a second factor. It is called for each login. */
  readonly code?: () => string | Promise<string>
}

/** The settings of a client. */
export interface ClientOptions {
  /** The address of the API, such as `https://api.example.com`. */
  readonly url: string
  /** Logs in before the first call, and again when a token is refused. */
  readonly login?: Login
  /** The token to begin with. Without `login` it is never renewed. */
  readonly token?: Token
  /** The most repetitions of one call; 3 by default, 0 for none. */
  readonly retries?: number
  /** The most time that one attempt may take; 30 000 by default, which is more than the platform takes. */
  readonly timeoutMs?: number
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>
  /** Replaces chance and time in retries. */
  readonly retryDeps?: RetryDeps
}

/** The settings of one call. */
export interface CallOptions {
  /** Ends the call, its repetitions and its waits. */
  readonly signal?: AbortSignal
  /** The key under which a POST is repeated; made for each call by default. */
  readonly idempotencyKey?: string
  /** The `ETag` that the record must have, for a change. */
  readonly ifMatch?: string
}

/** The name of an operation of the API. */
export type OperationId = keyof Operations & keyof typeof operations

/** The parameters and the body of an operation, and the settings of the call. */
export type Input<O extends OperationId> = Omit<Operations[O], 'answer'> & CallOptions

/** The success body of an operation. */
export type Answer<O extends OperationId> = Operations[O]['answer']

/** The input may be left out where nothing in it is required. */
type InputArguments<O extends OperationId> =
  object extends Omit<Operations[O], 'answer'> ? [input?: Input<O>] : [input: Input<O>]

/** An answer with its headers. */
export interface Answered<O extends OperationId> {
  readonly body: Answer<O>
  readonly headers: Headers
}

interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Calls the API as one user. */
export class Client {
  readonly #options: ClientOptions
  #token: Token | undefined
  #loggingIn: Promise<Token> | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.#token = options.token
  }

  /** The token in use, to keep for another client; absent before the first login. */
  get token(): Token | undefined {
    return this.#token
  }

  /** Returns the success body of an operation. Throws a `CallplaneError` for any other answer. */
  async call<O extends OperationId>(operation: O, ...[input]: InputArguments<O>): Promise<Answer<O>> {
    return (await this.#answer(operation, input ?? {})).body
  }

  /** Does what {@link call} does, and returns the headers of the answer too, such as its `ETag`. */
  async callForHeaders<O extends OperationId>(operation: O, ...[input]: InputArguments<O>): Promise<Answered<O>> {
    return this.#answer(operation, input ?? {})
  }

  /** Yields the pages of a list, one request each. Give a `limit` for pages of that size. */
  async *pages<O extends OperationId>(operation: O, ...[input]: InputArguments<O>): AsyncGenerator<Answer<O>, void> {
    const given: AnyInput = input ?? {}
    for (let cursor: string | null = null; ; ) {
      const query: AnyInput['query'] = cursor === null ? given.query : { ...given.query, cursor, page: undefined }
      const paged: AnyInput = query === undefined ? given : { ...given, query }
      const { body, headers }: Answered<O> = await this.#answer(operation, paged)
      yield body
      cursor = headers.get('x-next-cursor')
      if (cursor === null) return
    }
  }

  /** Yields the events of a domain in the order of their numbers, up to the newest one. Gaps are in `listEvents`. */
  async *events(input: Input<'listEvents'> = {}): AsyncGenerator<Answer<'listEvents'>['data']['events'][number], void> {
    for (let query = input.query ?? {}; ; ) {
      const { data } = await this.call('listEvents', { ...input, query })
      yield* data.events
      if (!data.more) return
      query = { ...query, since: String(data.next) }
    }
  }

  /** Yields all records that a search finds, however many. */
  async *cdrs(input: Input<'searchCdrs'> = {}): AsyncGenerator<Answer<'searchCdrs'>['hits']['hits'][number], void> {
    let found = await this.call('searchCdrs', { ...input, body: { ...input.body, scroll: true } })
    while (found.hits.hits.length > 0) {
      yield* found.hits.hits
      if (found.scrollId === undefined) return
      const { signal } = input
      const body = { scrollId: found.scrollId }
      found = await this.call('scrollCdrs', signal === undefined ? { body } : { body, signal })
    }
  }

  /**
   * Downloads a recording: requests a link from the API and fetches it without the credential, since the object store
   * is another host. The body of the response is not read yet.
   */
  async recording(uuid: string, input: Omit<Input<'readRecording'>, 'params'> = {}): Promise<Response> {
    const { signal } = input
    const link = await this.call('readRecording', { ...input, params: { uuid } })
    if (!('url' in link)) throw new TypeError('recording() takes no type "all": call readRecording for the list')
    const what = `the download of recording ${uuid}`
    const response = await this.#fetch(what, link.url, { credentials: 'omit', redirect: 'error' }, signal)
    if (response.ok) return response
    throw errorOf(what, response, await response.text())
  }

  /** Ends the token in use. */
  async logOut(): Promise<void> {
    if (this.#token === undefined) return
    await this.#attempt('logOut', {}, this.#token)
    this.#token = undefined
  }

  async #answer<O extends OperationId>(operation: O, input: AnyInput): Promise<Answered<O>> {
    const { method, takesKey } = operations[operation]
    const { signal, idempotencyKey } = input
    const key = idempotencyKey ?? (takesKey ? crypto.randomUUID() : undefined)
    const keyed = key === undefined ? input : { ...input, idempotencyKey: key }
    const deps = this.#options.retryDeps ?? { random: Math.random, pause }
    // A repeated read changes nothing. A repeated change needs a key, or it could happen twice.
    const retries = method === 'GET' || (takesKey && key !== undefined) ? (this.#options.retries ?? 3) : 0
    return withRetries(() => this.#authenticated(operation, keyed), retries, signal, deps)
  }

  /** Makes one attempt. When its token is refused, logs in and retries once: a refused request was not executed. */
  async #authenticated<O extends OperationId>(operation: O, input: AnyInput): Promise<Answered<O>> {
    const { login } = this.#options
    if (login === undefined || operation === 'logIn') return this.#attempt(operation, input, this.#token)
    const token = this.#token ?? (await this.#logIn(login, undefined))
    try {
      return await this.#attempt(operation, input, token)
    } catch (error) {
      const isRefused =
        error instanceof CallplaneError && (error.code === 'invalid_token' || error.code === 'token_expired')
      if (!isRefused) throw error
      return this.#attempt(operation, input, await this.#logIn(login, token))
    }
  }

  /** Returns a token other than the refused one. Calls that need one at the same time share one login. */
  #logIn(login: Login, refused: Token | undefined): Promise<Token> {
    if (this.#token !== undefined && this.#token !== refused) return Promise.resolve(this.#token)
    this.#loggingIn ??= this.#requestToken(login).finally(() => {
      this.#loggingIn = undefined
    })
    return this.#loggingIn
  }

  async #requestToken({ username, password, code }: Login): Promise<Token> {
    const body = { username, password, ...(code === undefined ? {} : { code: await code() }) }
    const { token, key } = (await this.#attempt('logIn', { body }, undefined)).body
    this.#token = { token, key }
    return this.#token
  }

  async #attempt<O extends OperationId>(operation: O, input: AnyInput, token: Token | undefined): Promise<Answered<O>> {
    const { method, path } = operations[operation]
    const { body, idempotencyKey, ifMatch, signal } = input
    const url = urlOf(this.#options.url, path, input)
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { 'x-access-token': token.token }),
      ...(token?.key === undefined ? {} : { 'x-key': token.key }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    }
    const what = `${method} ${url.pathname}`
    const request = {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect may lead to another host, and `fetch` would send it the credential.
      redirect: 'error',
      credentials: 'omit',
    } as const
    const { response, text } = await this.#read(what, url.href, request, signal)
    if (!response.ok) throw errorOf(what, response, text)
    return { body: parseAnswer(what, response, text) as Answer<O>, headers: response.headers }
  }

  async #read(what: string, url: string, request: RequestInit, signal: AbortSignal | undefined) {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? 30_000)
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    try {
      const response = await this.#fetch(what, url, { ...request }, either)
      return { response, text: await response.text() }
    } catch (error) {
      signal?.throwIfAborted()
      if (!timeout.aborted) throw unreachable(what, error)
      throw new CallplaneError(`${what} was not answered in time`, { code: 'timed_out', status: 0 }, error)
    }
  }

  async #fetch(what: string, url: string, request: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    const send = this.#options.fetch ?? fetch
    try {
      return await send(url, signal === undefined ? request : { ...request, signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachable(what, error)
    }
  }
}

function unreachable(what: string, cause: unknown): CallplaneError {
  if (cause instanceof CallplaneError) return cause
  return new CallplaneError(`${what} got no answer`, { code: 'unreachable', status: 0 }, cause)
}

function parseAnswer(what: string, { status, headers }: Response, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const requestId = headers.get('x-request-id') ?? undefined
    const fields = { code: 'unexpected_answer', status, requestId } as const
    throw new CallplaneError(`${what} was answered ${status} without JSON`, fields, error)
  }
}

function urlOf(base: string, path: string, { params = {}, query = {} }: AnyInput): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(segmentOf(name, params[name])))
  const url = new URL(`${base.replace(/\/+$/, '')}${filled}`)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, textOf(value))
  }
  return url
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns a parameter of a path as text. Throws for one that would make the path that of another thing. */
function segmentOf(name: string, value: unknown): string {
  const segment = value === undefined ? '' : textOf(value)
  if (!['', '.', '..'].includes(segment)) return segment
  throw new TypeError(`params.${name} must be a name, got ${JSON.stringify(segment)}`)
}
