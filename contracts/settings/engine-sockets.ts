/** The address of an engine's event socket; `ENGINE_PASSWORD` is used if it has no password of its own. */
export interface EngineSocket {
  readonly host: string
  readonly port: number
  readonly password: string | undefined
}

/** The sentence that describes a well-formed list of event sockets. */
export const engineSocketWords = 'esl://host:port, or several of them, comma-separated'

const defaultPort = 8021

/** The most engines of a deployment: each costs two links and a reader; a longer list is surely a mistake. */
export const maxEngines = 32

/**
 * Reads event sockets such as `esl://:password@host:port`, comma-separated. Passwords are percent-encoded. Throws an
 * error that says what the list must be.
 */
export function readEngineSockets(text: string): EngineSocket[] {
  const parts = text.split(',')
  if (parts.length > maxEngines) throw new Error(`must name at most ${maxEngines} engines`)
  const sockets = parts.map((part) => readSocket(part.trim()))
  if (new Set(sockets.map(({ host, port }) => `${host} ${port}`)).size < sockets.length) {
    throw new Error('must name each engine once')
  }
  return sockets
}

function readSocket(text: string): EngineSocket {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 'esl:' || url.hostname === '' || url.port === '0' || hasMore(url)) {
    throw new Error(`must be ${engineSocketWords}`)
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return { host, port: url.port === '' ? defaultPort : Number(url.port), password: readPassword(url) }
}

/**
 * Returns whether an address has a path, query or fragment. An event socket has none; most likely a password was not
 * percent-encoded.
 */
function hasMore({ pathname, search, hash }: URL): boolean {
  return !['', '/'].includes(pathname) || search !== '' || hash !== ''
}

function readPassword({ password: encoded }: URL): string | undefined {
  if (encoded === '') return undefined
  const password = decode(encoded)
  if (/[\r\n\0]/.test(password)) throw new Error('must have passwords of one line')
  return password
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw new Error('must have percent-encoded passwords')
  }
}
