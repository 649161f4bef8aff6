import type { HookReply, HookRequest } from './hook-client.ts'
import type { Hook } from '../definition/hook.ts'
import { substituteHeaders, urlWithQuery } from './hook-request.ts'
import type { JsonObject } from '../definition/event-fields.ts'
import { type TemplateSource, substitute, verbatim } from './template.ts'

/** The longest data that `auth.map` may become, names and values together, in UTF-16 units: that of a body. */
const maxDataLength = 256 * 1024

/** The result of an auth pre-request: values for substitution, and the cookies to send along. */
export interface AuthResult {
  /** By the full name: `auth:body:<key>`, `auth:header:<name>`, `auth:header:<cookie name>`. */
  readonly values: Readonly<Record<string, string>>
  /** For the `cookie` header; empty when there is none. */
  readonly cookie: string
}

/** Returns whether a hook wants a pre-request. */
export function wantsAuth(hook: Hook): boolean {
  return hook.auth.enabled && hook.auth.url !== ''
}

/**
 * Returns the pre-request of a hook: `auth.map` is its query (GET) or its JSON body (every other method). `undefined`
 * when that, or a header, is too long.
 */
export function authRequest(hook: Hook, source: TemplateSource): HookRequest | undefined {
  const { method, url } = hook.auth
  const headers = substituteHeaders(hook.auth.headers, source)?.headers
  const data = substituteMap(hook.auth.map, source)
  if (headers === undefined || data === undefined) return undefined
  if (method === 'GET') return { method, url: urlWithQuery(url, data), headers, body: '' }
  return { method, url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(data) }
}

function substituteMap(map: Readonly<Record<string, string>>, source: TemplateSource): JsonObject | undefined {
  const entries: [string, string][] = []
  let left = maxDataLength
  for (const [name, template] of Object.entries(map)) {
    left -= name.length
    const value = substitute(template, source, verbatim, left)
    if (value === undefined) return undefined
    left -= value.length
    entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

/** Reads a pre-request's reply; returns `undefined` for anything but a 200. */
export function readAuthReply(reply: HookReply): AuthResult | undefined {
  if (reply.outcome !== 'answered' || reply.status !== 200) return undefined
  const cookies = cookiesOf(reply.headers['set-cookie'] ?? '')
  const values = [
    ...Object.entries(textMembers(reply.body)).map(([key, value]) => [`auth:body:${key}`, value]),
    ...Object.entries(reply.headers).map(([name, value]) => [`auth:header:${name.toLowerCase()}`, value]),
    ...cookies.map(([name, value]) => [`auth:header:${name}`, value]),
  ]
  return {
    values: Object.fromEntries(values),
    cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; '),
  }
}

/** Names and values of `set-cookie` lines; attributes are not kept, since the cookies serve one request only. */
function cookiesOf(setCookie: string): [string, string][] {
  return setCookie.split('\n').flatMap((line): [string, string][] => {
    const pair = line.split(';')[0] ?? ''
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]]
  })
}

/** The text members of a JSON object; none when the body is something else. */
function textMembers(body: string): Record<string, string> {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return {}
  }
  if (typeof parsed !== 'object' || parsed === null) return {}
  const members = Object.entries(parsed).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[key, value]] : [],
  )
  return Object.fromEntries(members)
}

/** The names of values from a pre-request's answer; see `core/hooks/request/template.ts` for the form of names. */
const wanted = /\$\{auth:(body|header):([A-Za-z0-9_:.-]{1,116})\}/g

/** Stands for the cookies of a pre-request's answer where those are passed on. */
const anyCookie = '${auth:cookie name}=${auth:cookie value}'

/**
 * Returns a reply to the pre-request of a hook in which every value is its own placeholder, so that a request made with
 * it shows where real values would be: `${auth:body:token}` stays `${auth:body:token}`.
 */
export function placeholderReply(hook: Pick<Hook, 'headers' | 'rawBody'>): HookReply {
  const templates = [...Object.values(hook.headers), hook.rawBody]
  const asked = templates.flatMap((template) =>
    [...template.matchAll(wanted)].map(([text, part, name = '']) => ({ text, part, name })),
  )
  const inBody = asked.filter(({ part }) => part === 'body')
  const isHeader = (name: string) => name === name.toLowerCase()
  const inHeaders = asked.filter(({ part, name }) => part === 'header' && isHeader(name))
  const inCookies = asked.filter(({ part, name }) => part === 'header' && !isHeader(name))
  const cookies = inCookies.map(({ text, name }) => `${name}=${text}`)
  return {
    outcome: 'answered',
    status: 200,
    headers: {
      ...Object.fromEntries(inHeaders.map(({ text, name }) => [name, text])),
      'set-cookie': [...cookies, anyCookie].join('\n'),
    },
    body: JSON.stringify(Object.fromEntries(inBody.map(({ text, name }) => [name, text]))),
    durationMs: 0,
  }
}
