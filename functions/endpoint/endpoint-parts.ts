import type { Route } from '../../contracts/routes/route.ts'
import type { EndpointDeps, OwnPorts } from './tools.ts'

/** One endpoint: its record, its ports and its use case. The caller of the factory has matched their types. */
export interface Endpoint {
  readonly route: Route
  readonly ports: OwnPorts
  readonly useCase: (request: never, ports: never) => unknown
  readonly tools: EndpointDeps
}

/** Returns a port that the route's record declares. Throws if the function was wired without it. */
export function own<T>(port: T | undefined): Required<T> {
  if (port === undefined) throw new Error('a port of the wrapper itself is missing')
  return port as Required<T>
}
