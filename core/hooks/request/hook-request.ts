import type { Delivery } from '../delivery/delivery.ts'
import type { HookRequest } from './hook-client.ts'
import type { Hook } from '../definition/hook.ts'
import { customBody, selectData, standardBody, urlWithQuery } from './body.ts'
import { headerValue, substitute, type TemplateSource, verbatim } from './template.ts'

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
