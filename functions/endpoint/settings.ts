import { environment } from '../../contracts/environment.ts'
import * as declared from '../../contracts/settings/platform.ts'
import type { RateLimits } from '../../contracts/settings/rates.ts'
import { type Variables, readVariable } from '../../contracts/settings/setting.ts'

/** The settings of the functions; contracts/settings/platform.ts describes each. */
export interface Settings {
  readonly version: string
  readonly publicUrl: string
  readonly rootName: string
  readonly tokenSeconds: number
  readonly passwordMinLength: number
  readonly deletionGraceSeconds: number
  readonly scriptSteps: boolean
  /** The text only: functions/client-variables.ts reads it in the functions that use it. */
  readonly clientVariables: string
  readonly rateLimits: RateLimits
  /** Networks in CIDR form, comma-separated. */
  readonly hookAllowedNetworks: string
}

/**
 * Reads the settings from the process's environment. Throws an error that names the variable, never its value, when one
 * is malformed.
 */
export function readSettings(env: Variables): Settings {
  // The logger reads its level by itself, at the first request; a wrong one is found here.
  readVariable(declared.logLevel, env)
  return {
    version: readVariable(declared.buildVersion, env),
    publicUrl: readVariable(declared.publicUrl, env),
    rootName: readVariable(declared.rootName, env),
    tokenSeconds: readVariable(declared.tokenSeconds, env),
    passwordMinLength: readVariable(declared.passwordMinLength, env),
    deletionGraceSeconds: readVariable(declared.deletionGraceSeconds, env),
    scriptSteps: readVariable(declared.scriptSteps, env),
    clientVariables: env[environment.clientVariables] ?? '',
    rateLimits: readVariable(declared.rateLimits, env),
    hookAllowedNetworks: readVariable(declared.hookAllowedNetworks, env).join(','),
  }
}
