/** An example of an operation: what was sent to it and what it answered. */
export interface Example {
  readonly request?: unknown
  readonly answer?: unknown
}

/** Recorded requests and answers. */
export interface Examples {
  readonly operations: Readonly<Record<string, Example>>
  readonly refusals: Readonly<Record<string, unknown>>
}
