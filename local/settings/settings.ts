import { resolve } from 'node:path'
import { type ObservingSetting, readEngineAddresses, readObserving } from '../../connector/settings.ts'
import type { EngineAddress } from '../../connector/runtime/engine.ts'
import { engineUrl } from '../../contracts/settings/connector.ts'
import { allowedOrigins } from '../../contracts/settings/deployment.ts'
import { clientVariables } from '../../contracts/settings/client-variables.ts'
import * as declared from '../../contracts/settings/laptop.ts'
import {
  cdrDays,
  contactHosts,
  deletionGraceSeconds,
  emergencyGateway,
  emergencyNumbers,
  eventsPerSecond,
  hookAllowedNetworks,
  logLevel,
  rateLimits,
  recordingsLock,
} from '../../contracts/settings/platform.ts'
import { type Variable, type Variables, checkOnLaptop, readOnLaptop } from '../../contracts/settings/setting.ts'
import { PlainError } from '@callplane/laptop'

/** The settings of a run on a laptop; contracts/settings describes each. */
export interface Settings {
  readonly port: number
  readonly host: string
  /** Empty: the simulated engine. */
  readonly engines: readonly EngineAddress[]
  readonly enginePort: number
  /** The folder that the engines of `engines` record to; absent: their recordings are not stored. */
  readonly recordingsDir: string | undefined
  readonly observing: ObservingSetting | undefined
  /** Absolute. */
  readonly dataDir: string
  readonly rootPassword: string | undefined
  readonly engineCredential: string | undefined
  readonly dynamodbEndpoint: string | undefined
  readonly sqsEndpoint: string | undefined
  readonly s3Endpoint: string | undefined
  readonly openSearchUrl: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly hookAllowedNetworks: string
  readonly rateLimits: string
  readonly eventsPerSecond: string
  readonly cdrDays: string
  readonly deletionGraceSeconds: string
  readonly emergencyNumbers: string
  readonly emergencyGateway: string
  readonly contactHosts: string
  readonly clientVariables: string
  readonly logLevel: string
  readonly recordingsLock: string
}

/** Reads the settings. Throws a sentence that names the first variable that cannot be used, and never its value. */
export function readSettings(env: Variables): Settings {
  try {
    return read(env)
  } catch (problem) {
    throw problem instanceof Error ? new PlainError(problem.message) : problem
  }
}

function read(env: Variables): Settings {
  const optional = (setting: Variable<string>) => readOnLaptop(setting, env) || undefined
  return {
    port: readOnLaptop(declared.apiPort, env),
    host: readOnLaptop(declared.host, env),
    engines: env[engineUrl.variable] ? readEngineAddresses(env) : [],
    enginePort: readOnLaptop(declared.simulatedEnginePort, env),
    recordingsDir: readFolder(env),
    observing: readObserved(env),
    dataDir: resolve(readOnLaptop(declared.dataDir, env)),
    rootPassword: optional(declared.rootPassword),
    engineCredential: optional(declared.engineCredential),
    dynamodbEndpoint: optional(declared.dynamodbEndpoint),
    sqsEndpoint: optional(declared.sqsEndpoint),
    s3Endpoint: optional(declared.s3Endpoint),
    openSearchUrl: optional(declared.openSearchUrl),
    allowedOrigins: readOnLaptop(allowedOrigins, env),
    hookAllowedNetworks: checkOnLaptop(hookAllowedNetworks, env),
    rateLimits: checkOnLaptop(rateLimits, env),
    eventsPerSecond: checkOnLaptop(eventsPerSecond, env),
    cdrDays: checkOnLaptop(cdrDays, env),
    deletionGraceSeconds: checkOnLaptop(deletionGraceSeconds, env),
    emergencyNumbers: checkOnLaptop(emergencyNumbers, env),
    emergencyGateway: checkOnLaptop(emergencyGateway, env),
    contactHosts: checkOnLaptop(contactHosts, env),
    clientVariables: checkOnLaptop(clientVariables, env),
    logLevel: checkOnLaptop(logLevel, env),
    recordingsLock: checkOnLaptop(recordingsLock, env),
  }
}

/** Reads whether the engines of `ENGINE_URL` are only observed. The simulated engine never is. */
function readObserved(env: Variables): ObservingSetting | undefined {
  const observing = readObserving(env)
  if (observing !== undefined && !env[engineUrl.variable]) {
    throw new Error('ENGINE_MODE=observe needs ENGINE_URL: the simulated engine is there to be controlled')
  }
  return observing
}

function readFolder(env: Variables): string | undefined {
  const folder = readOnLaptop(declared.recordingsDir, env) || undefined
  if (folder !== undefined && !env[engineUrl.variable]) {
    throw new Error(
      `${declared.recordingsDir.variable} needs ENGINE_URL: the simulated engine records to DATA_DIR/recordings`,
    )
  }
  return folder
}
