import { XMLParser } from 'fast-xml-parser'
import { fromByteText, toByteText } from '../runtime/byte-text.ts'
import { preprocessXml } from './preprocess-xml.ts'

const lists = new Set([
  'section',
  'domain',
  'group',
  'user',
  'gateway',
  'param',
  'variable',
  'context',
  'extension',
  'condition',
  'action',
])

/** Attributes become members with their text; elements that can come more than once become lists. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  // Without it numeric references such as `&#36;` stay as they are.
  htmlEntities: true,
  isArray: (name) => lists.has(name),
})

/** Parses an answer to a lookup as the engine does: through its preprocessor. Throws for what is no document. */
export function readDocument(answer: string): unknown {
  const { text } = preprocessXml(toByteText(answer))
  const document: unknown = child(parser.parse(fromByteText(text)), 'document')
  if (document === undefined) throw new Error('the answer to the lookup is no document')
  return document
}

/** Returns the first child element of a name. */
export function child(element: unknown, name: string): unknown {
  const found = isRecord(element) ? element[name] : undefined
  return Array.isArray(found) ? found[0] : found
}

/** Returns the child elements of a name that can come more than once. */
export function children(element: unknown, name: string): unknown[] {
  const found = isRecord(element) ? element[name] : undefined
  return Array.isArray(found) ? found : []
}

/** Returns the value of an attribute. */
export function attribute(element: unknown, name: string): string | undefined {
  const found = isRecord(element) ? element[name] : undefined
  return typeof found === 'string' ? found : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
