import type { Route } from '../../contracts/routes/route.ts'
import type { EndpointTools, OwnPorts } from './tools.ts'

/** One endpoint: its record, its ports and what it does with them, whose types its maker has matched. */
export interface Endpoint {
  readonly route: Route
  readonly ports: OwnPorts
  readonly useCase: (request: never, ports: never) => unknown
  readonly tools: EndpointTools
}

/** A port that the route's record says is there; without it the function was wired wrongly. */
export function own<T>(port: T | undefined): Required<T> {
  if (port === undefined) throw new Error('a port of the wrapper itself is missing')
  return port as Required<T>
}
