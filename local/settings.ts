import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { PlainError } from './processes/plain-error.ts'

/** Another engine than the simulated one. */
export interface EngineAddress {
  readonly host: string
  readonly port: number
  readonly password: string
}

/** What a run on a laptop can be told. The table of local/settings.json describes each variable. */
export interface Settings {
  readonly port: number
  readonly host: string
  /** Absent: the simulated engine. */
  readonly engine: EngineAddress | undefined
  readonly enginePort: number
  /** Absolute. */
  readonly dataDir: string
  readonly rootPassword: string | undefined
  readonly engineCredential: string | undefined
  readonly hookAllowedNetworks: string
  readonly rateLimits: string
  readonly dynamodbEndpoint: string | undefined
  readonly sqsEndpoint: string | undefined
  readonly s3Endpoint: string | undefined
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
    engine: readEngine(given('ENGINE_URL')),
    enginePort: readPort('ENGINE_PORT', given('ENGINE_PORT'), 8021),
    dataDir: resolve(given('DATA_DIR') ?? '.data'),
    rootPassword: given('ROOT_PASSWORD'),
    engineCredential: given('ENGINE_CREDENTIAL'),
    hookAllowedNetworks: env['HOOK_ALLOWED_NETWORKS'] ?? '127.0.0.0/8,::1/128',
    rateLimits: given('RATE_LIMITS') ?? 'off',
    dynamodbEndpoint: readEndpoint('DYNAMODB_ENDPOINT', given('DYNAMODB_ENDPOINT')),
    sqsEndpoint: readEndpoint('SQS_ENDPOINT', given('SQS_ENDPOINT')),
    s3Endpoint: readEndpoint('S3_ENDPOINT', given('S3_ENDPOINT')),
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

function readEngine(text: string | undefined): EngineAddress | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url === null || url.protocol !== 'esl:' || url.hostname === '') {
    throw new PlainError('ENGINE_URL must be an address of the form esl://:password@host:8021')
  }
  const password = decodeURIComponent(url.password)
  if (password === '') throw new PlainError('ENGINE_URL must hold a password: esl://:password@host:8021')
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port === '' ? 8021 : Number(url.port), password }
}
