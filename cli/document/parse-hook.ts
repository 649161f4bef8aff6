import type { HookAuth, HookRecord, JsonObject, Settings } from './model.ts'
import { requireReference } from './parse-secret.ts'
import { isReference, isSecretValue, kept } from './secrets.ts'
import type { Place } from './yaml-place.ts'

const names = [
  'event',
  'description',
  'enable',
  'method',
  'url',
  'fields',
  'map',
  'filter',
  'headers',
  'auth',
  'customBody',
  'rawBody',
  'rawSubstitution',
  'retries',
  'delay',
] as const

/** Attempts that follow a failed first one, when a hook does not say. */
export const usualRetries = 8

/** Reads a hook, with the platform's defaults for what is left out. */
export function readHook(place: Place): HookRecord {
  const given = place.members(names)
  if (given.event === undefined || given.url === undefined) throw place.error('must have an event and a url')
  return {
    event: given.event.text(),
    description: given.description?.text() ?? '',
    enable: given.enable?.flag() ?? true,
    method: (given.method?.text() ?? 'POST').toUpperCase(),
    url: given.url.text(),
    fields: given.fields?.items().map((field) => field.text()) ?? [],
    map: textsOf(given.map),
    filter: filterOf(given.filter),
    headers: valuesOf(given.headers),
    auth: authOf(given.auth),
    customBody: given.customBody?.flag() ?? false,
    rawBody: given.rawBody?.text() ?? '',
    ...(given.rawSubstitution?.flag() === true ? { rawSubstitution: true } : {}),
    retries: given.retries?.wholeNumber() ?? usualRetries,
    ...(given.delay === undefined || given.delay.isNull ? {} : { delay: given.delay.wholeNumber() }),
  }
}

function authOf(place: Place | undefined): HookAuth {
  const given = place?.members(['enabled', 'url', 'method', 'headers', 'map', 'cookie']) ?? {}
  return {
    enabled: given.enabled?.flag() ?? false,
    url: given.url?.text() ?? '',
    method: (given.method?.text() ?? 'GET').toUpperCase(),
    headers: valuesOf(given.headers),
    map: valuesOf(given.map),
    cookie: given.cookie?.flag() ?? false,
  }
}

function textsOf(place: Place | undefined): Settings {
  return Object.fromEntries(place?.entries().map(([name, value]) => [name, value.text()]) ?? [])
}

/** Headers and fields that hold secrets are references; no other may be one. */
function valuesOf(place: Place | undefined): Settings {
  const entries = place?.entries() ?? []
  for (const [name, value] of entries) {
    const text = value.text()
    if (isSecretValue(name)) requireReference(value, text)
    else if (isReference(text) || text === kept) {
      throw value.error('only values that hold secrets, such as Authorization or password, may name the environment')
    }
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, value.text()]))
}

/** A filter is a map from fields to `operation` and `value`. */
function filterOf(place: Place | undefined): JsonObject {
  return Object.fromEntries(
    place?.entries().map(([name, filter]) => {
      const { operation, value } = filter.members(['operation', 'value'])
      if (operation === undefined || value === undefined) throw filter.error('must have an operation and a value')
      return [name, { operation: operation.text(), value: value.json() }]
    }) ?? [],
  )
}
