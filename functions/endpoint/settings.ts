import { environment } from '../../contracts/environment.ts'
import * as declared from '../../contracts/settings/platform.ts'
import type { RateLimits } from '../../contracts/settings/platform.ts'
import { type Variables, readVariable } from '../../contracts/settings/setting.ts'

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
    hookAllowedNetworks: readVariable(declared.hookAllowedNetworks, env).join(','),
  }
}
