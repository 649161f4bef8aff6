import { readClientVariables } from '../contracts/client-variables.ts'
import { isEngineName } from '../contracts/engine-names.ts'
import { environment } from '../contracts/environment.ts'
import type { ClientVariables } from '../core/client-names/client-names.ts'
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
  /** Where the engines' recordings are; absent: none is stored. */
  readonly recordings: RecordingsSetting | undefined
  /** What the operator adds to the names of variables that clients may set. */
  readonly clientVariables: ClientVariables
}

/** Where the engines' recordings are. */
export interface RecordingsSetting {
  /** As the connector sees it, and as the engines call it; both absolute. */
  readonly folder: string
  readonly engineFolder: string
  /** Whether files stay there when they are stored. */
  readonly keepsFiles: boolean
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
    recordings: readRecordings(env),
    clientVariables: clientVariables(env),
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

/** Where the engines' recordings are, by the rules of {@link readSettings}; `undefined` when no folder is named. */
export function readRecordings(env: Readonly<Record<string, string | undefined>>): RecordingsSetting | undefined {
  const folder = env[environment.recordingsDir]
  if (!folder) return undefined
  const engineFolder = env[environment.recordingsEngineDir] || folder
  const keep = env[environment.recordingsKeep] || 'off'
  if (keep !== 'on' && keep !== 'off') {
    throw new Error(`environment variable ${environment.recordingsKeep} must be on or off`)
  }
  return {
    folder: absolute(environment.recordingsDir, folder),
    engineFolder: absolute(environment.recordingsEngineDir, engineFolder),
    keepsFiles: keep === 'on',
  }
}

function clientVariables(env: Readonly<Record<string, string | undefined>>): ClientVariables {
  try {
    return readClientVariables(env[environment.clientVariables] ?? '', isEngineName)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'cannot be read'
    throw new Error(`environment variable ${environment.clientVariables} ${problem}`, { cause })
  }
}

/** Without a slash at its end. The root of a disk is no folder of recordings. */
function absolute(variable: string, path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  if (!trimmed.startsWith('/') || trimmed.split('/').some((piece) => piece === '.' || piece === '..')) {
    throw new Error(`environment variable ${variable} must be an absolute path of a folder`)
  }
  return trimmed
}
