/** The two parts of a request's target, as they stood in the request line. */
export interface RequestTarget {
  readonly rawPath: string
  /** Without the question mark; empty when there is none. */
  readonly rawQuery: string
}

/** Splits a target at its first question mark. */
export function requestTarget(url = '/'): RequestTarget {
  const mark = url.indexOf('?')
  return mark < 0 ? { rawPath: url, rawQuery: '' } : { rawPath: url.slice(0, mark), rawQuery: url.slice(mark + 1) }
}
