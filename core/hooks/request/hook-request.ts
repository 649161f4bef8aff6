import type { Delivery } from '../delivery/delivery.ts'
import type { HookRequest } from './hook-client.ts'
import type { Hook } from '../definition/hook.ts'
import {
  type Insertion,
  type TemplateSource,
  headerValue,
  insideForm,
  insideJsonString,
  insideXml,
  substitute,
  verbatim,
} from './template.ts'
import { type JsonObject, type JsonValue, textOf } from '../definition/event-fields.ts'

/** The longest value of a header after substitution; servers commonly refuse more than 8 KiB. */
const maxHeaderLength = 8192

const userAgent = 'callplane-hooks/1'

/** The headers of a request, and the names of those that lost letters outside ASCII. */
type WrittenHeaders = Pick<HookRequest, 'headers'> & { readonly replaced: readonly string[] }

/** Headers with the event's values in them; `undefined` when one is too long. */
export function substituteHeaders(
  headers: Readonly<Record<string, string>>,
  source: TemplateSource,
): WrittenHeaders | undefined {
  const entries: [string, string][] = []
  const replaced: string[] = []
  for (const [name, template] of Object.entries(headers)) {
    const value = substitute(template, source, verbatim, maxHeaderLength)
    if (value === undefined) return undefined
    entries.push([name.toLowerCase(), headerValue(value)])
    if (/\P{ASCII}/u.test(value)) replaced.push(name.toLowerCase())
  }
  return { headers: Object.fromEntries(entries), replaced }
}

function isBodyless(method: string): boolean {
  return method === 'GET' || method === 'DELETE'
}

/**
 * Returns the request that delivers an event to a hook, unsigned; header names are in lower case. `undefined` when the
 * hook's template is bad for this event: nothing is to be sent, now or later.
 */
export function hookRequest(
  hook: Hook,
  delivery: Pick<Delivery, 'id' | 'eventName'>,
  source: TemplateSource,
): HookRequest | undefined {
  const { method, url } = hook.action
  const own = substituteHeaders(hook.headers, source)
  if (own === undefined) return undefined
  const headers = { 'user-agent': userAgent, ...own.headers }
  const lost = own.replaced.length === 0 ? {} : { replaced: own.replaced }
  if (!hook.customBody && isBodyless(method)) {
    return { method, url: urlWithQuery(url, selectData(hook, source.event)), headers, body: '', ...lost }
  }
  const contentType = own.headers['content-type']
  const body = hook.customBody
    ? customBody(hook, contentType, source)
    : standardBody(delivery, selectData(hook, source.event))
  if (body === undefined) return undefined
  return { method, url, headers: { 'content-type': 'application/json', ...headers }, body, ...lost }
}

/** The longest body that is sent, in UTF-16 units. */
const maxBodyLength = 256 * 1024

/** Returns how values are written into a body of a Content-Type, so that none can end the text that surrounds it. */
function insertionFor(contentType: string | undefined, { rawSubstitution }: Pick<Hook, 'rawSubstitution'>): Insertion {
  if (isJson(contentType)) return insideJsonString
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (rawSubstitution === true) return verbatim
  if (type === 'application/x-www-form-urlencoded') return insideForm
  return /[/+]xml$/.test(type) ? insideXml : verbatim
}

/**
 * Returns whether a Content-Type value names JSON (`application/json`, `application/…+json`). None given means JSON.
 */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType.trim())
}

/**
 * Returns the part of an event that a hook wants: its `fields`, or all when it names none, then renamed by `map`. All
 * renames happen at once: a target that exists is overwritten, a source that is absent is skipped.
 */
export function selectData(hook: Pick<Hook, 'fields' | 'map'>, event: JsonObject): JsonObject {
  if (hook.fields.length === 0 && Object.keys(hook.map).length === 0) return event
  const wanted: ReadonlySet<string> = new Set(hook.fields)
  const kept = Object.entries(event).filter(([name]) => wanted.size === 0 || wanted.has(name))
  const data = new Map<string, JsonValue>(kept.filter(([name]) => !Object.hasOwn(hook.map, name)))
  for (const [name, value] of kept) {
    if (Object.hasOwn(hook.map, name)) data.set(hook.map[name] ?? name, value)
  }
  return Object.fromEntries(data)
}

/** Returns the standard body: the delivery's id, the event's name, and the data. */
export function standardBody(delivery: Pick<Delivery, 'id' | 'eventName'>, data: JsonObject): string {
  return JSON.stringify({ id: delivery.id, action: delivery.eventName, data })
}

/** Returns the hook's URL with the data in its query string, nested values as JSON: for methods that have no body. */
export function urlWithQuery(url: string, data: JsonObject): string {
  const target = new URL(url)
  for (const [name, value] of Object.entries(data)) target.searchParams.append(name, textOf(value))
  return target.href
}

/**
 * Returns the hook's own body with the event's values in it. `undefined` when the template is bad for this event: the
 * result is too long, or should be JSON and is not.
 */
export function customBody(
  hook: Pick<Hook, 'rawBody' | 'rawSubstitution'>,
  contentType: string | undefined,
  source: TemplateSource,
): string | undefined {
  const json = isJson(contentType)
  const body = substitute(hook.rawBody, source, insertionFor(contentType, hook), maxBodyLength)
  return body === undefined || (json && !parsesAsJson(body)) ? undefined : body
}

function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
