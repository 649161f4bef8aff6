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
  /** Where events wait while the queue is away, and bytes that they may take there; absent: in memory only. */
  readonly spool: { readonly folder: string; readonly bytes: number } | undefined
}

/** Five minutes of a busy engine (500 events of 7 KB a second). */
const defaultSpoolBytes = 1024 ** 3

/** Less could not hold one file of each class and what is being written. */
const leastSpoolBytes = 4 * 1024 ** 2

/**
 * Reads the settings. Throws an error that names the variable that is absent or wrong and what it must be, never its
 * value: an address can hold a password.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ConnectorSettings {
  return {
    engines: readEngineAddresses(env),
    healthPort: healthPort(env),
    version: env[environment.buildVersion] || 'unknown',
    spool: spool(env),
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

function spool(env: Readonly<Record<string, string | undefined>>): ConnectorSettings['spool'] {
  const { [environment.spoolDir]: folder, [environment.spoolBytes]: text } = env
  if (!folder) return undefined
  const bytes = text ? Number(text) : defaultSpoolBytes
  if (!Number.isSafeInteger(bytes) || bytes < leastSpoolBytes) {
    throw new Error(`environment variable ${environment.spoolBytes} must be a number of bytes from ${leastSpoolBytes}`)
  }
  return { folder, bytes }
}
