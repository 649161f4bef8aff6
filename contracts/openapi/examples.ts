/** An example of an operation: what was sent to it and what it answered. */
export interface Example {
  readonly request?: unknown
  readonly answer?: unknown
}

/** Examples by the ids of their operations. */
export type Examples = Readonly<Record<string, Example>>
