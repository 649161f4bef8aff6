import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { laptop } from '../assembly/place.ts'
import { type RouteMatch, decode } from './route-table.ts'

/** A request as API Gateway hands it to a function: an event of payload format 2.0. */
export interface RequestEvent {
  readonly version: '2.0'
  readonly routeKey: string
  readonly rawPath: string
  readonly rawQueryString: string
  readonly cookies?: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly queryStringParameters?: Readonly<Record<string, string>>
  readonly pathParameters?: Readonly<Record<string, string>>
  readonly requestContext: object
  readonly body?: string
  readonly isBase64Encoded: boolean
}

/** Content types that come as text; a body of any other type comes in base64, form fields among them. */
const textTypes = /^(text\/|application\/(json|xml|javascript)\b|application\/[\w.-]+\+(json|xml)\b)/i

/**
 * The event of a request. As in an HTTP API: `rawPath` is percent-decoded and `rawQueryString` is not, header names are
 * lower-case, values of a name given more than once are joined by commas, cookies stand apart.
 */
export function requestEvent(
  request: IncomingMessage,
  url: { readonly rawPath: string; readonly rawQuery: string },
  match: RouteMatch<unknown>,
  body: Buffer,
  now: number,
): RequestEvent {
  const { cookie, ...headers } = headersOf(request)
  const query = queryOf(url.rawQuery)
  const base64 = body.length > 0 && !textTypes.test(headers['content-type'] ?? '')
  return {
    version: '2.0',
    routeKey: match.routeKey,
    rawPath: decode(url.rawPath),
    rawQueryString: url.rawQuery,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/;\s*/) }),
    headers,
    ...(query === undefined ? {} : { queryStringParameters: query }),
    ...(Object.keys(match.parameters).length === 0 ? {} : { pathParameters: match.parameters }),
    requestContext: requestContext(request, url.rawPath, match.routeKey, headers, now),
    ...(body.length === 0 ? {} : { body: body.toString(base64 ? 'base64' : 'utf8') }),
    isBase64Encoded: base64,
  }
}

function requestContext(
  request: IncomingMessage,
  rawPath: string,
  routeKey: string,
  headers: Readonly<Record<string, string>>,
  now: number,
): object {
  const domainName = headers['host'] ?? 'localhost'
  return {
    accountId: laptop.account,
    apiId: 'local',
    domainName,
    domainPrefix: domainName.split('.')[0],
    http: {
      method: request.method ?? 'GET',
      path: decode(rawPath),
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: sourceAddress(request),
      userAgent: headers['user-agent'] ?? '',
    },
    requestId: randomUUID(),
    routeKey,
    stage: '$default',
    time: new Date(now).toUTCString(),
    timeEpoch: now,
  }
}

/** The peer's address. What a client says in `X-Forwarded-For` is not asked: nothing trusted stands in front. */
function sourceAddress(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers = new Map<string, string>()
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = (request.rawHeaders[index] ?? '').toLowerCase()
    join(headers, name, request.rawHeaders[index + 1] ?? '', name === 'cookie' ? '; ' : ',')
  }
  return Object.fromEntries(headers)
}

function queryOf(rawQuery: string): Record<string, string> | undefined {
  if (rawQuery === '') return undefined
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rawQuery)) join(query, name, value, ',')
  return Object.fromEntries(query)
}

function join(values: Map<string, string>, name: string, value: string, separator: string): void {
  const known = values.get(name)
  values.set(name, known === undefined ? value : `${known}${separator}${value}`)
}
