import type { Log } from '../../adapters/log/logger.ts'
import type { Clock, Ports, Randomness } from '../../core/ports.ts'
import type { Settings } from './settings.ts'

/** What an endpoint works with besides its ports. */
export interface EndpointTools {
  readonly clock: Clock
  readonly random: Randomness
  readonly log: Log
  readonly settings: Settings
}

/** The ports of the wrapper itself. Which of them a route needs follows from its record; the others may be absent. */
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
