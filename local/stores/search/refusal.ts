/** A request that the search server refuses, in OpenSearch's words. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly type: string

  constructor(status: number, type: string, reason: string) {
    super(reason)
    this.status = status
    this.type = type
  }
}

/** Returns the refusal of a request that OpenSearch could not read, or that this server does not know. */
export function badRequest(reason: string, type = 'parsing_exception'): Refusal {
  return new Refusal(400, type, reason)
}

/** Returns the body of a refusal. */
export function refusalBody({ status, type, message: reason }: Refusal): object {
  return { error: { root_cause: [{ type, reason }], type, reason }, status }
}
