import { environment } from '../contracts/environment.ts'
import { required } from '../adapters/context.ts'
import type { EngineAddress } from './engine.ts'
import { readEngineAddresses } from './engine-addresses.ts'

/** What the environment tells the connector, besides the resources of its adapters. */
export interface ConnectorSettings {
  /** In the order given; no two of one name. */
  readonly engines: readonly EngineAddress[]
  /** 0 takes a free port. */
  readonly healthPort: number
  readonly version: string
}

/**
 * Reads the settings. Throws an error that names the variable that is absent or wrong and what it must be, never its
 * value: an address can hold a password.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ConnectorSettings {
  return {
    engines: readEngineAddresses(env),
    healthPort: healthPort(env),
    version: env[environment.buildVersion] || 'unknown',
  }
}

function healthPort(env: Readonly<Record<string, string | undefined>>): number {
  const text = required({ env }, environment.healthPort)
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new Error(`environment variable ${environment.healthPort} must be a port number from 0 to 65535`)
  }
  return port
}
