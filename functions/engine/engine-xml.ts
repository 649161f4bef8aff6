import { XMLBuilder } from 'fast-xml-parser'
import { attributeText } from './attribute-text.ts'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  processEntities: false,
  attributeValueProcessor: (_name, value) => attributeText(String(value)),
  format: true,
})

/**
 * Writes an answer to the engine with one section. The engine reads it line by line before it parses it
 * (docs/engine-behaviour.md), so there is no XML declaration, and each element has its own line. Every value is an
 * attribute written by {@link attributeText}: no value can end the attribute, add another one or be read as a
 * directive.
 */
export function writeEngineXml(section: object): string {
  return builder.build({ document: { '@type': 'freeswitch/xml', section } })
}

/** The section with which the engine goes on as if nothing had been asked. */
export const notFound = { '@name': 'result', result: { '@status': 'not found' } } as const
