import { findField, type JsonObject, type JsonValue, textOf } from '../definition/event-fields.ts'
import { replaceControls } from '../../requests/safe-text.ts'

/** One substitution. What does not have this form (`${`, `${ }`, `${a[0]}`) is ordinary text. */
const placeholder = /\$\{([A-Za-z0-9_:.-]{1,128})\}/g

/** Where substitutions take their values from. */
export interface TemplateSource {
  readonly event: JsonObject
  /** Values of the auth pre-request's answer, by full name: `auth:body:<key>`, `auth:header:<name>`. */
  readonly auth: Readonly<Record<string, string>>
}

/** How a value is written where it is inserted. */
export type Insertion = (value: string) => string

/** Escapes a value for the inside of a JSON string, so that it cannot end the string that surrounds it. */
export const insideJsonString: Insertion = (value) => JSON.stringify(value).slice(1, -1)

/** Escapes a value for a field of a form, so that it cannot begin another field. */
export const insideForm: Insertion = (value) =>
  encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Escapes a value for text and attributes of XML. Characters that XML 1.0 cannot have become U+FFFD. */
export const insideXml: Insertion = (value) =>
  value
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)

/** Returns a value unchanged. */
export const verbatim: Insertion = (value) => value

function valueOf(source: TemplateSource, name: string): JsonValue {
  if (Object.hasOwn(source.auth, name)) return source.auth[name] ?? ''
  return findField(source.event, name) ?? ''
}

/**
 * Replaces every `${name}` by the value of that field, and an absent one by nothing. In one pass: placeholders inside
 * values are not expanded. `undefined` if the result would be longer than `limit` UTF-16 units; the rest of the
 * template is then not expanded, so that a short template cannot fill the memory.
 */
export function substitute(
  template: string,
  source: TemplateSource,
  insert: Insertion,
  limit: number,
): string | undefined {
  const parts: string[] = []
  let length = 0
  let end = 0
  const add = (part: string): boolean => {
    parts.push(part)
    length += part.length
    return length <= limit
  }
  for (const match of template.matchAll(placeholder)) {
    const value = insert(textOf(valueOf(source, match[1] ?? '')))
    if (!add(template.slice(end, match.index)) || !add(value)) return undefined
    end = match.index + match[0].length
  }
  return add(template.slice(end)) ? parts.join('') : undefined
}

/**
 * Makes a text fit for a header value: control characters go, and what is not ASCII becomes `?`, so that no value can
 * add a header or end a request.
 */
export function headerValue(text: string): string {
  return replaceControls(text, '').replaceAll(/[^\u0020-\u007e]/gu, '?')
}
