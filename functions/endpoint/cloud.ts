import { createLogger } from '../../adapters/log/logger.ts'
import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import type { PortName, Ports } from '../../contracts/ports.ts'
import type { EndpointDeps } from './endpoint-parts.ts'
import { environment } from '../../contracts/environment.ts'
import * as declared from '../../contracts/settings/platform.ts'
import type { RateLimits } from '../../contracts/settings/rates.ts'
import { type Variables, readVariable } from '../../contracts/settings/setting.ts'

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

/** The settings of the functions; contracts/settings/platform.ts describes each. */
export interface Settings {
  readonly version: string
  readonly publicUrl: string
  readonly tokenSeconds: number
  readonly passwordMinLength: number
  readonly deletionGraceSeconds: number
  readonly scriptSteps: boolean
  /** The text alone: functions/client-variables.ts parses it in the functions that use it. */
  readonly clientVariables: string
  readonly emergencyNumbers: readonly string[]
  /** Empty: none. */
  readonly emergencyGateway: string
  /** Hosts, and networks in CIDR form. */
  readonly contactHosts: readonly string[]
  readonly rateLimits: RateLimits
  readonly eventsPerSecond: number
  readonly cdrDays: number
  /** Networks in CIDR form, comma-separated. */
  readonly hookAllowedNetworks: string
}

/** Reads the settings from the process's environment. An error names a malformed variable, never its value. */
export function readSettings(env: Variables): Settings {
  // The logger reads its level itself, at the first request; an invalid level is detected here.
  readVariable(declared.logLevel, env)
  // The adapter of the object store reads it where it is used.
  readVariable(declared.recordingsLock, env)
  return {
    version: env[environment.buildVersion] ?? 'unknown',
    publicUrl: readVariable(declared.publicUrl, env),
    tokenSeconds: readVariable(declared.tokenSeconds, env),
    passwordMinLength: readVariable(declared.passwordMinLength, env),
    deletionGraceSeconds: readVariable(declared.deletionGraceSeconds, env),
    scriptSteps: readVariable(declared.scriptSteps, env),
    emergencyNumbers: readVariable(declared.emergencyNumbers, env),
    emergencyGateway: readVariable(declared.emergencyGateway, env),
    contactHosts: readVariable(declared.contactHosts, env),
    clientVariables: env[environment.clientVariables] ?? '',
    rateLimits: readVariable(declared.rateLimits, env),
    eventsPerSecond: readVariable(declared.eventsPerSecond, env),
    cdrDays: readVariable(declared.cdrDays, env),
    hookAllowedNetworks: readVariable(declared.hookAllowedNetworks, env).join(','),
  }
}
