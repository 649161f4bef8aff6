import { environment } from '../../contracts/environment.ts'
import { type RateLimits, readRateLimits } from './rate-limits.ts'

/** What a deployment can set about the endpoints. */
export interface Settings {
  /** The build that answers. */
  readonly version: string
  /** The service's public base address. */
  readonly publicUrl: string
  /** Name of the root user. */
  readonly rootName: string
  /** Life of a login's token in seconds. */
  readonly tokenSeconds: number
  /** Least length of a password. */
  readonly passwordMinLength: number
  /** Seconds between the deletion of a domain and the removal of what it leaves. */
  readonly deletionGraceSeconds: number
  /** Whether callflows may hold `js` and `script` steps. */
  readonly scriptSteps: boolean
  /** What the operator adds to the names that clients may set, as contracts/client-variables.ts reads it. */
  readonly clientVariables: string
  /** The rates that requests are held to; those that are not there are not held. */
  readonly rateLimits: RateLimits
  /** Networks in CIDR form, comma-separated, that hooks may point at besides public addresses. */
  readonly hookAllowedNetworks: string
}

/**
 * Reads the settings from the process's environment; what is unset has the default that contracts/environment.ts
 * names. Throws an error that names the variable, never its value, when one is malformed.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return {
    version: env[environment.buildVersion] || 'unknown',
    publicUrl: env[environment.publicUrl] || '',
    rootName: env[environment.rootName] || 'root',
    tokenSeconds: wholeNumber(env, environment.tokenSeconds, 604_800, 300, 8_640_000),
    passwordMinLength: wholeNumber(env, environment.passwordMinLength, 3, 1, 128),
    deletionGraceSeconds: wholeNumber(env, environment.deletionGraceSeconds, 120, 1, 900),
    scriptSteps: isOn(env, environment.scriptSteps),
    clientVariables: env[environment.clientVariables] ?? '',
    rateLimits: readRateLimits(env[environment.rateLimits] || 'off'),
    hookAllowedNetworks: env[environment.hookAllowedNetworks] ?? '',
  }
}

function isOn(env: Readonly<Record<string, string | undefined>>, name: string): boolean {
  const text = env[name] || 'off'
  if (text === 'on' || text === 'off') return text === 'on'
  throw new Error(`environment variable ${name} must be on or off`)
}

function wholeNumber(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new Error(`environment variable ${name} must be a whole number from ${min} to ${max}`)
}
