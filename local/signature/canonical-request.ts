import type { IncomingHttpHeaders } from 'node:http'

/** The parts of a request that its signature covers. */
export interface SignedParts {
  readonly method: string
  /** As it stood in the request line, without the query. */
  readonly rawPath: string
  /** As it stood in the request line, without the question mark. */
  readonly rawQuery: string
  readonly headers: IncomingHttpHeaders
}

/** The parts of a request that the signer declared as signed. */
export interface SignedScope {
  readonly service: string
  /** Lower-case names, in order. */
  readonly signedHeaders: readonly string[]
  /** Hex SHA-256 of the body, or the word that replaces it. */
  readonly payloadHash: string
}

/** Returns the text that AWS Signature Version 4 hashes, of a request as it came in. */
export function canonicalRequest(parts: SignedParts, scope: SignedScope): string {
  const headers = scope.signedHeaders.map((name) => `${name}:${headerText(parts.headers[name])}\n`).join('')
  return [
    parts.method,
    canonicalPath(parts.rawPath, scope.service),
    canonicalQuery(parts.rawQuery),
    headers,
    scope.signedHeaders.join(';'),
    scope.payloadHash,
  ].join('\n')
}

/** Every character but `A-Z a-z 0-9 - . _ ~` as its UTF-8 bytes in percent form, upper case. */
function encodeUri(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** S3 signs a path as encoded once, every other service as encoded twice. Throws on a malformed percent sign. */
function canonicalPath(rawPath: string, service: string): string {
  const encode = service === 's3' ? (segment: string) => encodeUri(decodeURIComponent(segment)) : encodeUri
  return rawPath.split('/').map(encode).join('/')
}

function canonicalQuery(rawQuery: string): string {
  if (rawQuery === '') return ''
  return rawQuery
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [encodeUri(decodeURIComponent(name)), encodeUri(decodeURIComponent(value))] as const
    })
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** By code unit, as the signature asks; not by language. */
function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function headerText(value: string | string[] | undefined): string {
  const text = Array.isArray(value) ? value.join(',') : (value ?? '')
  return text.trim().replaceAll(/ +/g, ' ')
}
