import { createLogger } from '../../adapters/log/logger.ts'
import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import type { PortName, Ports } from '../../contracts/ports.ts'
import { readSettings } from './settings.ts'
import type { EndpointDeps } from './tools.ts'

/** Makes one port from its adapter. */
export type MakePort<P extends PortName> = (context: AdapterContext) => Ports[P]

/** Read while the module loads, so that an invalid value stops the function before its first request. */
const settings = readSettings(process.env)

/** Returns the context of every adapter of this process. */
export function cloudContext(): AdapterContext {
  return { env: process.env, clock: systemClock, random: systemRandomness }
}

/** Returns the dependencies of an endpoint or worker of this process; `service` names it in the logs. */
export function cloudTools(context: AdapterContext, service: string): EndpointDeps {
  return {
    clock: context.clock,
    random: context.random,
    log: createLogger(service, context),
    settings,
  }
}
