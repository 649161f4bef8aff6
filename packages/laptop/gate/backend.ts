/** A call that was verified and allowed. */
export interface ServiceCall {
  /** The part of `X-Amz-Target` after the dot. */
  readonly action: string
  /** All of `X-Amz-Target`. */
  readonly target: string
  readonly contentType: string
  readonly body: Buffer
  readonly input: unknown
  readonly isAwaited?: (() => boolean) | undefined
}

/** The answer of a service. */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

/** A store that speaks JSON. It trusts its caller, since the gate has checked the call. */
export type Backend = (call: ServiceCall) => Promise<ServiceAnswer>

/** A request to a search domain. */
export interface SearchRequest {
  readonly method: string
  /** In percent form. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly body: string
}

/** Its answer, in JSON. */
export interface SearchReply {
  readonly status: number
  readonly body: string
}

/** The search domain that the gate protects. */
export interface SearchBackend {
  readonly domainArn: string
  answer(request: SearchRequest): Promise<SearchReply>
}

/** Returns an answer in JSON. */
export function jsonAnswer(body: unknown, status = 200): ServiceAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) }
}

/** Returns a refusal in the form of the JSON services. */
export function errorAnswer(type: string, message: string): ServiceAnswer {
  return jsonAnswer({ __type: type, message }, 400)
}
