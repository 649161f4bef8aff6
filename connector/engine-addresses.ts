import { environment } from '../contracts/environment.ts'
import { required } from '../adapters/context.ts'
import { type EngineAddress, engineName } from './engine.ts'

/** The port of the event socket where the address names none. */
const defaultEnginePort = 8021

/** Each engine has two links, jobs and a reading of its own; more than this is a slip of the pen. */
const maxEngines = 32

/**
 * The engines that `ENGINE_URL` names: one address, or several, comma-separated, in their order. An address may carry
 * its password, percent-encoded; `ENGINE_PASSWORD` is that of the others. Throws an error that names the variable that
 * is absent or wrong and what it must be, never its value.
 */
export function readEngineAddresses(env: Readonly<Record<string, string | undefined>>): EngineAddress[] {
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
  const password = own || env[environment.enginePassword] || ''
  if (password === '') {
    throw new Error(
      `environment variable ${environment.enginePassword} is not set, and an address in ${environment.engineUrl} has no password`,
    )
  }
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
