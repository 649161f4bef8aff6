import { environment } from '../contracts/environment.ts'
import { clientVariables } from '../contracts/settings/client-variables.ts'
import * as declared from '../contracts/settings/connector.ts'
import {
  type Rule,
  type Variables,
  matching,
  readText,
  readVariable,
  wholeNumber,
} from '../contracts/settings/setting.ts'
import type { ClientVariables } from '../core/client-names/client-names.ts'
import type { EngineAddress } from './runtime/engine.ts'
import { enginePassword, engineUrl } from '../contracts/settings/connector.ts'

/** The settings of the connector; contracts/settings describes each. */
export interface ConnectorSettings {
  readonly engines: readonly EngineAddress[]
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
    healthPort: readWired(env, 'healthPort', wholeNumber(0, 65_535)),
    version: readWired(env, 'buildVersion', matching(/^.{1,128}$/, 'one line of up to 128 characters'), 'unknown'),
    stage: readVariable(declared.stage, env),
    stopSeconds: readWired(env, 'stopSeconds', wholeNumber(30, 120), '120'),
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

/** A smaller spool could not hold a few of the largest events. */
const leastSpoolBytes = 4 * 1024 ** 2

/** Five minutes of a busy engine (500 events of 7 KB a second). */
const usualSpoolBytes = 1024 ** 3

function readSpool(env: Variables): ConnectorSettings['spool'] {
  const folder = env[environment.spoolDir] ?? ''
  const bytes = readWired(env, 'spoolBytes', wholeNumber(leastSpoolBytes, 999_999_999_999_999), String(usualSpoolBytes))
  return folder === '' ? undefined : { folder, bytes }
}

/** Reads a variable that the deployment or `npm start` sets, and no person. */
function readWired<T>(env: Variables, name: keyof typeof environment, rule: Rule<T>, usual = ''): T {
  return readText(rule, env[environment[name]] ?? usual, environment[name])
}

/**
 * Returns the engines of `ENGINE_URL` in their order. Those without a password of their own have `ENGINE_PASSWORD`.
 * Throws an error that names the variable that is missing or wrong and what it must be, never its value.
 */
export function readEngineAddresses(env: Variables): EngineAddress[] {
  const common = readVariable(enginePassword, env)
  return readVariable(engineUrl, env).map(({ host, port, password = common }) => {
    if (password !== '') return { host, port, password }
    throw new Error(
      `${enginePassword.variable} is not set, and an address in ${engineUrl.variable} has no password of its own`,
    )
  })
}
