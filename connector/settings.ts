import { environment } from '../contracts/environment.ts'
import { required } from '../adapters/context.ts'
import type { EngineAddress } from './engine-works.ts'

/** What the environment tells the connector, besides the resources of its adapters. */
export interface ConnectorSettings {
  readonly engine: EngineAddress
  /** 0 takes a free port. */
  readonly healthPort: number
  readonly version: string
}

/** The port of the event socket where the address names none. */
const defaultEnginePort = 8021

/**
 * Reads the settings. Throws an error that names the variable that is absent or wrong and what it must be, never its
 * value: an address can hold a password.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ConnectorSettings {
  return {
    engine: engineAddress(env),
    healthPort: healthPort(env),
    version: env[environment.buildVersion] || 'unknown',
  }
}

function engineAddress(env: Readonly<Record<string, string | undefined>>): EngineAddress {
  const text = required({ env }, environment.engineUrl)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.protocol !== 'esl:' || url.hostname === '') {
    throw new Error(`environment variable ${environment.engineUrl} must be esl://host:port`)
  }
  const password = decoded(url.password) || required({ env }, environment.enginePassword)
  if (/[\r\n\0]/.test(password)) {
    throw new Error(`environment variable ${environment.enginePassword} must be one line`)
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: url.port === '' ? defaultEnginePort : Number(url.port), password }
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
