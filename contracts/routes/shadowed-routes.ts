import type { Route } from './route.ts'

/**
 * Returns what a path with a parameter would take in the place of a path that has no such method: `PUT /hooks/dry-run`
 * names no hook. Such requests have a wrong method.
 */
export function shadowedRoutes(routes: readonly Route[]): readonly Pick<Route, 'method' | 'path'>[] {
  return [...Map.groupBy(routes, ({ path }) => path)].flatMap(([path, own]) => {
    const taken = new Set<string>(own.flatMap(({ method, otherMethods = [] }) => [method, ...otherMethods]))
    const others = routes.filter((route) => fits(path, route.path) && !taken.has(route.method))
    return [...new Set(others.map(({ method }) => method))].map((method) => ({ method, path }))
  })
}

function fits(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')]
  return given.length === wanted.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
}
