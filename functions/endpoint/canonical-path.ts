import type { Route } from '../../contracts/routes/route.ts'

/** A path that the service knows, under any of its names. */
export interface KnownPath {
  /** Its canonical name, percent-encoded. */
  readonly canonical: string
  readonly isCanonical: boolean
  readonly methods: readonly string[]
}

const aliases = [
  { from: '/engine/', to: '/', except: ['/engine/', '/health', '/cdr/api/v2/files/'] },
  { from: '/api/v2/files/', to: '/cdr/api/v2/files/', except: [] },
] as const

/** Finds the route of a percent-decoded path: by the path itself, by an alias, or without its trailing slash. */
export function findPath(path: string, routes: readonly Route[]): KnownPath | undefined {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  const names = [bare, ...aliases.flatMap((alias) => rename(bare, alias))]
  for (const name of names) {
    const fitting = mostLiteral(routes.filter((route) => fits(name, route.path)))
    if (fitting.length > 0) {
      return { canonical: encode(name), isCanonical: name === path, methods: methodsOf(fitting) }
    }
  }
  return undefined
}

/** Returns the paths of all routes, with a path's own segments in the place of their parameters. */
export function pathsLike(path: string, routes: readonly Pick<Route, 'path'>[]): readonly string[] {
  const given = path.split('/')
  const fill = (segment: string, index: number) => (segment.startsWith('{') ? (given[index] ?? segment) : segment)
  return routes.map((route) => route.path.split('/').map(fill).join('/'))
}

function rename(path: string, { from, to, except }: (typeof aliases)[number]): string[] {
  if (!path.startsWith(from)) return []
  const name = to + path.slice(from.length)
  return except.some((start) => name.startsWith(start)) ? [] : [name]
}

function fits(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')]
  return (
    given.length === wanted.length &&
    wanted.every((segment, index) => (segment.startsWith('{') ? given[index] !== '' : given[index] === segment))
  )
}

/**
 * Returns the routes of the path that says the most: `/hooks/dry-run` is no hook, although `/hooks/{hook_id}` fits it.
 */
function mostLiteral(fitting: readonly Route[]): readonly Route[] {
  const least = Math.min(...fitting.map(({ path }) => parameters(path)))
  return fitting.filter(({ path }) => parameters(path) === least)
}

const parameters = (path: string) => path.split('{').length

function methodsOf(routes: readonly Route[]): string[] {
  return [...new Set(routes.flatMap(({ method, otherMethods = [] }) => [method, ...otherMethods]))].sort()
}

function encode(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join('/')
}
