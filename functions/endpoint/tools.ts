import type { Log } from '../../adapters/log/logger.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { Clock, Randomness } from '../../core/time.ts'
import type { Settings } from './settings.ts'

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
