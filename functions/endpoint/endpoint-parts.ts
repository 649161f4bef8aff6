import type { Route } from '../../contracts/routes/route.ts'
import type { MiddlewareObj } from '@middy/core'
import type { HttpResponse } from './response.ts'
import type { Exchange } from './exchange.ts'
import type { Log } from '../../adapters/log/logger.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { Clock, Randomness } from '../../core/time.ts'
import type { Settings } from './cloud.ts'

/** One endpoint: its record, its ports and its use case. The caller of the factory has matched their types. */
export interface Endpoint {
  readonly route: Route
  readonly ports: OwnPorts
  readonly useCase: (request: never, ports: never) => unknown
  readonly tools: EndpointDeps
}

/** Returns a port that the route's record declares. Throws if the function was wired without it. */
export function requirePort<T>(port: T | undefined): Required<T> {
  if (port === undefined) throw new Error('a port of the wrapper itself is missing')
  return port as Required<T>
}

/** One step of an endpoint's chain. A returned value answers the request at once; without one the request goes on. */
export type Step = MiddlewareObj<Exchange, HttpResponse>

/** Returns the value that an earlier step left in the exchange. Throws if that step is missing from the chain. */
export function requireStep<T>(value: T | undefined, step: string): T {
  if (value === undefined) throw new Error(`the chain lacks the step "${step}"`)
  return value
}

/** The dependencies of an endpoint in addition to its ports. */
export interface EndpointDeps {
  readonly clock: Clock
  readonly random: Randomness
  readonly log: Log
  readonly settings: Settings
}

/** The ports of the wrapper itself. A route's record decides which of them it needs; the others may be absent. */
export interface OwnPorts {
  readonly credentials?: Pick<Ports['credentials'], 'read' | 'readDomainToken'>
  readonly sessions?: Pick<Ports['sessions'], 'touch' | 'meet'>
  readonly secrets?: Partial<Pick<Ports['secrets'], 'engineCredential' | 'rootVersion'>>
  readonly domains?: Partial<Pick<Ports['domains'], 'read'>>
  readonly audit?: Pick<Ports['audit'], 'append'>
  readonly idempotency?: Ports['idempotency']
  readonly secretBox?: Partial<Pick<Ports['secretBox'], 'seal' | 'open'>>
  readonly rateLimits?: Partial<Pick<Ports['rateLimits'], 'take' | 'enter' | 'leave'>>
}
