import { isRecord } from '../../assembly/record.ts'
import { engineXmlParser } from '../../engine-xml/engine-xml-parser.ts'
import { fromByteText, toByteText } from '../runtime/byte-text.ts'
import { preprocessXml } from './preprocess-xml.ts'

const parser = engineXmlParser([
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

/** Parses an answer of the platform as the engine does: through its preprocessor. Throws for what is no document. */
export function readDocument(answer: string): unknown {
  const { text } = preprocessXml(toByteText(answer))
  const document: unknown = child(parser.parse(fromByteText(text)), 'document')
  if (document === undefined) throw new Error('the answer of the platform is no document')
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
