import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readEngineAddresses } from '../connector/engine-addresses.ts'
import { readClientVariables } from '../contracts/client-variables.ts'
import { isEngineName } from '../contracts/engine-names.ts'
import type { EngineAddress } from '../connector/engine.ts'
import { type RecordingsSetting, readRecordings } from '../connector/settings.ts'
import { PlainError } from './processes/plain-error.ts'

/** What a run on a laptop can be told. The table of local/settings.json describes each variable. */
export interface Settings {
  readonly port: number
  readonly host: string
  /** Empty: the simulated engine. */
  readonly engines: readonly EngineAddress[]
  readonly enginePort: number
  /** Where the engines of `engines` record to; absent: their recordings are not stored. */
  readonly recordings: RecordingsSetting | undefined
  /** Absolute. */
  readonly dataDir: string
  readonly rootPassword: string | undefined
  readonly engineCredential: string | undefined
  readonly hookAllowedNetworks: string
  readonly rateLimits: string
  /** Empty: the functions' default. */
  readonly deletionGraceSeconds: string
  /** JSON; empty: none. */
  readonly clientVariables: string
  readonly dynamodbEndpoint: string | undefined
  readonly sqsEndpoint: string | undefined
  readonly s3Endpoint: string | undefined
  readonly openSearchUrl: string | undefined
  readonly logLevel: string | undefined
}

/** Reads the settings. Throws a sentence that names the first variable that cannot be used, and never a password. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const level = given('LOG_LEVEL')
  if (level !== undefined && !/^(trace|debug|info|warn|error)$/i.test(level)) {
    throw new PlainError(`LOG_LEVEL must be trace, debug, info, warn or error, got "${level}"`)
  }
  return {
    port: readPort('PORT', given('PORT'), 8080),
    host: readHost(given('HOST')),
    engines: readEngines({ ENGINE_URL: given('ENGINE_URL'), ENGINE_PASSWORD: given('ENGINE_PASSWORD') }),
    enginePort: readPort('ENGINE_PORT', given('ENGINE_PORT'), 8021),
    recordings: readFolder(given),
    dataDir: resolve(given('DATA_DIR') ?? '.data'),
    rootPassword: given('ROOT_PASSWORD'),
    engineCredential: given('ENGINE_CREDENTIAL'),
    hookAllowedNetworks: env['HOOK_ALLOWED_NETWORKS'] ?? '127.0.0.0/8,::1/128',
    rateLimits: given('RATE_LIMITS') ?? 'off',
    deletionGraceSeconds: readGrace(given('DELETION_GRACE_SECONDS')),
    clientVariables: checkClientVariables(given('CLIENT_VARIABLES') ?? ''),
    dynamodbEndpoint: readEndpoint('DYNAMODB_ENDPOINT', given('DYNAMODB_ENDPOINT')),
    sqsEndpoint: readEndpoint('SQS_ENDPOINT', given('SQS_ENDPOINT')),
    s3Endpoint: readEndpoint('S3_ENDPOINT', given('S3_ENDPOINT')),
    openSearchUrl: readEndpoint('OPENSEARCH_URL', given('OPENSEARCH_URL')),
    logLevel: level?.toLowerCase(),
  }
}

/** 0 means any free port. */
function readPort(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new PlainError(`${name} must be a port number, got "${text}"`)
  return port
}

/** The queue delays a message by 900 s at most. */
function readGrace(text: string | undefined): string {
  if (text === undefined || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 900)) return text ?? ''
  throw new PlainError(`DELETION_GRACE_SECONDS must be a whole number from 1 to 900, got "${text}"`)
}

function checkClientVariables(text: string): string {
  try {
    readClientVariables(text, isEngineName)
    return text
  } catch (problem) {
    throw new PlainError(`CLIENT_VARIABLES ${problem instanceof Error ? problem.message : 'cannot be read'}`)
  }
}

function readHost(text: string | undefined): string {
  if (text === undefined || text === 'localhost') return '127.0.0.1'
  if (isIP(text) === 0) throw new PlainError(`HOST must be an IP address of this machine, got "${text}"`)
  return text
}

function readEndpoint(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new PlainError(`${name} must be an address such as http://127.0.0.1:8000, got "${text}"`)
  }
  return text.replace(/\/$/, '')
}

/** By the rules of the connector, which gets the same address. */
function readEngines(env: { ENGINE_URL: string | undefined; ENGINE_PASSWORD: string | undefined }): EngineAddress[] {
  return env.ENGINE_URL === undefined ? [] : plainly('ENGINE_URL cannot be read', () => readEngineAddresses(env))
}

/** The folder that the engines of `ENGINE_URL` record to. The simulated engine has one of its own. */
function readFolder(given: (name: string) => string | undefined): RecordingsSetting | undefined {
  const names = ['RECORDINGS_DIR', 'RECORDINGS_ENGINE_DIR', 'RECORDINGS_KEEP'] as const
  const env = Object.fromEntries(names.map((name) => [name, given(name)]))
  const named = names.find((name) => env[name] !== undefined)
  if (named === undefined) return undefined
  if (given('ENGINE_URL') === undefined) {
    throw new PlainError(`${named} needs ENGINE_URL: the simulated engine records to DATA_DIR/recordings`)
  }
  if (env['RECORDINGS_DIR'] === undefined) throw new PlainError(`${named} needs RECORDINGS_DIR, the same folder here`)
  return plainly('RECORDINGS_DIR cannot be read', () => readRecordings(env))
}

/** Turns a refusal of the connector's rules into a plain sentence. */
function plainly<T>(fallback: string, read: () => T): T {
  try {
    return read()
  } catch (problem) {
    throw new PlainError(problem instanceof Error ? problem.message : fallback)
  }
}
