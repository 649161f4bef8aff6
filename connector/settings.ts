import { environment } from '../contracts/environment.ts'
import { required } from '../adapters/context.ts'
import { type EngineAddress, engineName } from './engine.ts'

/** What the environment tells the connector, besides the resources of its adapters. */
export interface ConnectorSettings {
  /** In the order given; no two of one name. */
  readonly engines: readonly EngineAddress[]
  /** 0 takes a free port. */
  readonly healthPort: number
  readonly version: string
}

/** The port of the event socket where the address names none. */
const defaultEnginePort = 8021

/** Each engine has two links, jobs and a reading of its own; more than this is a slip of the pen. */
const maxEngines = 32

/**
 * Reads the settings. Throws an error that names the variable that is absent or wrong and what it must be, never its
 * value: an address can hold a password.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ConnectorSettings {
  return {
    engines: engineAddresses(env),
    healthPort: healthPort(env),
    version: env[environment.buildVersion] || 'unknown',
  }
}

function engineAddresses(env: Readonly<Record<string, string | undefined>>): EngineAddress[] {
  const texts = required({ env }, environment.engineUrl).split(',')
  if (texts.length > maxEngines) {
    throw new Error(`environment variable ${environment.engineUrl} must name at most ${maxEngines} engines`)
  }
  const engines = texts.map((text) => engineAddress(env, text.trim()))
  if (new Set(engines.map(engineName)).size < engines.length) {
    throw new Error(`environment variable ${environment.engineUrl} must name each engine once`)
  }
  return engines
}

function engineAddress(env: Readonly<Record<string, string | undefined>>, text: string): EngineAddress {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 'esl:' || url.hostname === '' || url.port === '0' || hasMore(url)) {
    throw new Error(
      `environment variable ${environment.engineUrl} must be esl://host:port, or several of them, comma-separated`,
    )
  }
  const own = decoded(url.password)
  const password = own || required({ env }, environment.enginePassword)
  if (/[\r\n\0]/.test(password)) {
    const source = own === '' ? environment.enginePassword : `${environment.engineUrl} (a password in it)`
    throw new Error(`environment variable ${source} must be one line`)
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return { host, port: url.port === '' ? defaultEnginePort : Number(url.port), password }
}

/** A path, a query or a fragment says nothing about an event socket: most likely a password was not percent-encoded. */
function hasMore({ pathname, search, hash }: URL): boolean {
  return !['', '/'].includes(pathname) || search !== '' || hash !== ''
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    throw new Error(`the password in environment variable ${environment.engineUrl} must be percent-encoded`)
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
