import { clientVariables } from '../contracts/settings/client-variables.ts'
import * as declared from '../contracts/settings/connector.ts'
import { buildVersion } from '../contracts/settings/platform.ts'
import { type Variables, readVariable } from '../contracts/settings/setting.ts'
import type { ClientVariables } from '../core/client-names/client-names.ts'
import type { EngineAddress } from './runtime/engine.ts'
import { readEngineAddresses } from './engine-addresses.ts'

/** The settings of the connector; contracts/settings describes each. */
export interface ConnectorSettings {
  /** In the order given; no two of one name. */
  readonly engines: readonly EngineAddress[]
  /** Which part of them this connector relays the events of. */
  readonly share: declared.EngineShare
  /** 0 takes a free port. */
  readonly healthPort: number
  readonly version: string
  /** The stage in the names of metrics; empty: they have none. */
  readonly stage: string
  /** How long an orderly stop may take before the process is killed. */
  readonly stopSeconds: number
  /** Where events wait while the queue is away, and the bytes they may take there; absent: in memory only. */
  readonly spool: { readonly folder: string; readonly bytes: number } | undefined
  readonly clientVariables: ClientVariables
  /** Present when the engines are only observed. */
  readonly observing: ObservingSetting | undefined
}

/** How engines are observed. */
export interface ObservingSetting {
  readonly tenants: declared.EngineTenants
}

/** Reads the settings. Throws an error that names the variable that is missing or wrong, never its value. */
export function readSettings(env: Variables): ConnectorSettings {
  return {
    engines: readEngineAddresses(env),
    share: readVariable(declared.engineShare, env),
    healthPort: readVariable(declared.healthPort, env),
    version: readVariable(buildVersion, env),
    stage: readVariable(declared.stage, env),
    stopSeconds: readVariable(declared.stopSeconds, env),
    spool: readSpool(env),
    clientVariables: readVariable(clientVariables, env),
    observing: readObserving(env),
  }
}

/** Reads whether engines are only observed, as {@link readSettings} does. */
export function readObserving(env: Variables): ObservingSetting | undefined {
  const tenants = readVariable(declared.engineTenants, env) || new Map<string, string>()
  if (readVariable(declared.engineMode, env) === 'observe') return { tenants }
  if (tenants.size > 0) throw new Error('ENGINE_TENANTS needs ENGINE_MODE=observe')
  return undefined
}

function readSpool(env: Variables): ConnectorSettings['spool'] {
  const folder = readVariable(declared.spoolDir, env)
  const bytes = readVariable(declared.spoolBytes, env)
  return folder === '' ? undefined : { folder, bytes }
}
