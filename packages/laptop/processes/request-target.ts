/** The two parts of a request's target, as they stood in the request line. */
export interface RequestTarget {
  readonly rawPath: string
  /** Without the question mark; empty when there is none. */
  readonly rawQuery: string
}

/** The scheme and the authority with which a target begins that names the whole address (RFC 9112, 3.2.2). */
const origin = /^https?:\/\/[^/?#]+/i

/** Splits a target at its first question mark. The address of this server is left out, if the target names it. */
export function requestTarget(url = '/'): RequestTarget {
  const target = url.replace(origin, '')
  const mark = target.indexOf('?')
  const rawPath = mark < 0 ? target : target.slice(0, mark)
  return { rawPath: rawPath === '' ? '/' : rawPath, rawQuery: mark < 0 ? '' : target.slice(mark + 1) }
}
