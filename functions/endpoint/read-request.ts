import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Route } from '../../contracts/routes/route.ts'
import { DomainError, invalidField } from '../../core/errors.ts'
import { hasControls } from '../../core/requests/safe-text.ts'

const defaultBodyBytes = 256 * 1024

/** The parts of a request as the caller wrote them: well-formed, but of any shape. */
export interface RawRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The parsed body, `undefined` if there is none; the raw bytes if the route parses them itself. */
  readonly body: unknown
}

/** Refuses a body above the route's limit with `payload_too_large`, before any of it is parsed. */
export function checkSize(event: APIGatewayProxyEventV2, route: Pick<Route, 'maxBodyBytes'>): void {
  const limit = route.maxBodyBytes ?? defaultBodyBytes
  const bytes = Buffer.byteLength(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (bytes <= limit) return
  throw new DomainError('payload_too_large', `the request body must have at most ${limit} bytes`)
}

/**
 * Reads path parameters, query and body. Refuses malformed input: `invalid_field` for path and query,
 * `unsupported_media_type` and `invalid_json` for the body.
 */
export function readRequest(
  event: APIGatewayProxyEventV2,
  route: Pick<Route, 'form' | 'rawBody' | 'uncheckedQuery'>,
): RawRequest {
  const query = readQuery(event.rawQueryString, route.uncheckedQuery ?? [])
  return { params: readParams(event), query, body: readBody(event, route) }
}

/** The gateway decodes path parameters once; a remaining percent sign is an ordinary character. */
function readParams(event: APIGatewayProxyEventV2): Record<string, string> {
  const given = Object.entries(event.pathParameters ?? {})
  return Object.fromEntries(given.map(([name, text = '']) => [name, checkText(text, name)]))
}

/**
 * Reads the names and values of a query, decoded once. A duplicate name is refused, since no rule says which value
 * counts.
 */
function readQuery(rawQuery: string, unchecked: readonly string[]): Record<string, string> {
  const query = new Map<string, string>()
  for (const pair of rawQuery.split('&').filter((text) => text !== '')) {
    const [rawName = '', ...rest] = pair.split('=')
    const name = decode(rawName, 'query')
    if (query.has(name)) throw invalidField(name, 'must be given once')
    const text = rest.join('=')
    query.set(name, unchecked.includes(name) ? decodeLeniently(text) : decode(text, name))
  }
  return Object.fromEntries(query)
}

function decode(text: string, field: string): string {
  try {
    return checkText(decodeURIComponent(text.replaceAll('+', ' ')), field)
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw invalidField(field, 'must be percent-encoded UTF-8')
  }
}

/** Decodes a query value. Bytes that are not UTF-8 become U+FFFD, and a percent sign that encodes nothing stays. */
function decodeLeniently(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? ''
}

/** Refuses control characters, and the replacement character of bytes that were not UTF-8. */
function checkText(text: string, field: string): string {
  if (hasControls(text)) throw invalidField(field, 'must not contain control characters')
  if (text.includes('\ufffd') || !text.isWellFormed()) throw invalidField(field, 'must be percent-encoded UTF-8')
  return text
}

function readBody(event: APIGatewayProxyEventV2, route: Pick<Route, 'form' | 'rawBody'>): unknown {
  if (route.rawBody === true) return Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (event.body === undefined || event.body === '') return undefined
  checkMediaType(event, route.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded')
  const text = readText(event.body, event.isBase64Encoded)
  return route.form === undefined ? parseJson(text) : readForm(text)
}

function checkMediaType(event: APIGatewayProxyEventV2, wanted: string): void {
  const [mediaType = '', ...parameters] = (event.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  const encoding = event.headers['content-encoding'] ?? 'identity'
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (mediaType.trim() === wanted && isUtf8 && encoding.toLowerCase() === 'identity') return
  throw new DomainError('unsupported_media_type', `the request body must be ${wanted} in UTF-8, without compression`)
}

/** Returns the body as text. If the gateway has decoded it already, bytes that were not UTF-8 appear as U+FFFD. */
function readText(body: string, isBase64: boolean): string {
  try {
    // A byte order mark stays, so that the JSON parser refuses it.
    if (isBase64) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(body, 'base64'))
    if (!body.includes('\ufffd')) return body
  } catch {
    // Reported below, as for a body that arrived decoded.
  }
  throw invalidJson('the body is not UTF-8')
}

/** Reads a form as the engine writes it. The first value of a duplicate name counts, as at the engine. */
function readForm(text: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(text)].toReversed())
}

/**
 * Deeper than the body of any route, including callflows nested ten times (41 levels, and the content of their steps).
 * No later step needs to guard its recursion.
 */
const maxDepth = 64

/** Returns the refusal of a body that is not JSON as the contract wants it. */
export function invalidJson(problem: string): DomainError {
  return new DomainError('invalid_json', problem)
}

/**
 * Reads JSON text more strictly than the platform does. Refuses duplicate keys, `__proto__`, text that is not well
 * formed, numbers out of range and nesting beyond 64 (`invalid_json`), and control characters other than tab, line feed
 * and carriage return (`invalid_field`, with the path).
 */
export function parseJson(text: string): unknown {
  const value = readJson(text)
  checkKeys(text)
  checkValues(value, '')
  return value
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidJson('the body is not valid JSON')
  }
}

/** Walks over valid JSON text once. A string followed by a colon is a key of the innermost open object. */
function checkKeys(text: string): void {
  const open: Set<string>[] = []
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\]]/gs
  for (const [found] of text.matchAll(token)) {
    if (found === '{' || found === '[') {
      if (open.push(new Set()) > maxDepth) throw invalidJson(`the body is nested deeper than ${maxDepth} levels`)
    } else if (found === '}' || found === ']') {
      open.pop()
    } else if (found.endsWith(':')) {
      addKey(open.at(-1), JSON.parse(found.slice(0, found.lastIndexOf('"') + 1)))
    }
  }
}

function addKey(keys: Set<string> | undefined, key: string): void {
  if (key === '__proto__') throw invalidJson('the body holds a key that is not allowed')
  if (keys?.has(key)) throw invalidJson('the body holds a key twice')
  keys?.add(key)
}

// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

function checkValues(value: unknown, path: string): void {
  if (typeof value === 'string') checkBodyText(value, path)
  else if (typeof value === 'number' && !Number.isFinite(value)) throw invalidJson('a number is out of range')
  else if (Array.isArray(value)) value.forEach((item, index) => checkValues(item, `${path}[${index}]`))
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      checkBodyText(key, path)
      checkValues(member, path === '' ? key : `${path}.${key}`)
    }
  }
}

function checkBodyText(text: string, path: string): void {
  if (!text.isWellFormed()) throw invalidJson('a text of the body is not well-formed Unicode')
  if (controls.test(text)) throw invalidField(path === '' ? 'body' : path, 'must not contain control characters')
}
