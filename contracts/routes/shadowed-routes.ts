import type { Route } from './route.ts'

/**
 * Returns the methods that a fixed path lacks and a path with a parameter would answer in its place: `PUT
 * /hooks/dry-run` would be taken for the hook `dry-run`. Such requests have a wrong method.
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
