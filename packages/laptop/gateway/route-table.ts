/** The route of a request, with the values of its path parameters. */
export interface RouteMatch<T> {
  readonly routeKey: string
  readonly target: T
  /** Percent-decoded; absent when the route has none. */
  readonly parameters: Readonly<Record<string, string>> | undefined
}

type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parameter' | 'greedy'; readonly name: string }

interface Candidate<T> {
  readonly routeKey: string
  readonly method: string
  readonly segments: readonly Segment[]
  readonly target: T
}

/**
 * Chooses among the routes of an HTTP API as API Gateway does: a full match before one with parameters, those before a
 * greedy one (`{proxy+}`), a method before `ANY`, and `$default` when nothing else fits.
 */
export class RouteTable<T> {
  readonly #candidates: readonly Candidate<T>[]
  readonly #fallback: T | undefined

  constructor(routes: readonly { readonly key: string; readonly target: T }[]) {
    this.#fallback = routes.find(({ key }) => key === '$default')?.target
    this.#candidates = routes
      .filter(({ key }) => key !== '$default')
      .map(({ key, target }): Candidate<T> => {
        const [method = '', path = ''] = key.split(' ')
        return { routeKey: key, method, segments: path.split('/').map(segmentOf), target }
      })
      .toSorted((a, b) => rank(a).localeCompare(rank(b)))
  }

  /** The route of a request whose path {@link isPercentEncoded}, else `$default`; `undefined` if there is neither. */
  find(method: string, rawPath: string): RouteMatch<T> | undefined {
    const given = rawPath.split('/')
    for (const { routeKey, target, segments, method: wanted } of this.#candidates) {
      if ((wanted !== method && wanted !== 'ANY') || !fits(segments, given)) continue
      return { routeKey, target, parameters: parametersOf(segments, given) }
    }
    return this.#fallback === undefined
      ? undefined
      : { routeKey: '$default', target: this.#fallback, parameters: undefined }
  }
}

function segmentOf(text: string): Segment {
  const [, name, plus] = /^\{(.+?)(\+?)\}$/.exec(text) ?? []
  if (name === undefined) return { kind: 'text', text }
  return { kind: plus === '+' ? 'greedy' : 'parameter', name }
}

const ranks = { text: '0', parameter: '1', greedy: '2' } as const

/** Sorts literal before parameter before greedy, segment by segment, then a method before `ANY`. */
function rank({ segments, method }: Candidate<unknown>): string {
  return `${segments.map(({ kind }) => ranks[kind]).join('')}${method === 'ANY' ? '1' : '0'}`
}

function fits(pattern: readonly Segment[], given: readonly string[]): boolean {
  for (const [index, segment] of pattern.entries()) {
    if (segment.kind === 'text') {
      if (given[index] !== segment.text) return false
    } else if (segment.kind === 'greedy') return given[index] !== undefined && given.slice(index).join('/') !== ''
    else if (given[index] === undefined || given[index] === '') return false
  }
  return given.length === pattern.length
}

function parametersOf(pattern: readonly Segment[], given: readonly string[]): Record<string, string> | undefined {
  let parameters: Record<string, string> | undefined
  for (const [index, segment] of pattern.entries()) {
    if (segment.kind === 'text') continue
    const value = segment.kind === 'greedy' ? given.slice(index).join('/') : (given[index] ?? '')
    parameters ??= {}
    parameters[segment.name] = decode(value)
  }
  return parameters
}

/** Percent-decodes a text of which {@link isPercentEncoded} is true. */
export function decode(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text
}

/** Returns whether every percent sign begins an encoded byte and all bytes are UTF-8. */
export function isPercentEncoded(text: string): boolean {
  if (!text.includes('%')) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
