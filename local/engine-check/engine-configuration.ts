import { engineXmlParser } from '../engine-xml/engine-xml-parser.ts'

/** A section of an engine's configuration: names of parameters, in lower case, with their values. */
export type Parameters = ReadonlyMap<string, string>

const parser = engineXmlParser(['param', 'profile', 'binding'])

/** An element of a configuration document. */
export interface Element {
  readonly attribute: (name: string) => string
  readonly child: (name: string) => Element
  readonly children: (name: string) => readonly Element[]
  /** The `param` elements directly below. */
  readonly parameters: Parameters
  /** An attribute of the first `param` of a name. */
  readonly parameterAttribute: (parameter: string, attribute: string) => string
}

/** Reads what `xml_locate` answers; `undefined` when the engine has no such element. */
export function readConfiguration(answer: string): Element | undefined {
  const text = answer.trim()
  if (!text.startsWith('<configuration')) return undefined
  const document: unknown = parser.parse(text)
  return elementOf(isRecord(document) ? document['configuration'] : undefined)
}

function elementOf(node: unknown): Element {
  const fields = isRecord(node) ? node : {}
  const attribute = (name: string) => textOf(fields[name])
  const children = (name: string) => listOf(fields[name]).map(elementOf)
  const params = listOf(fields['param']).filter(isRecord)
  return {
    attribute,
    children,
    child: (name) => children(name)[0] ?? elementOf(undefined),
    parameters: new Map(params.map((param) => [textOf(param['name']).toLowerCase(), textOf(param['value'])])),
    parameterAttribute: (parameter, name) =>
      textOf(params.find((param) => textOf(param['name']).toLowerCase() === parameter)?.[name]),
  }
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns a parameter as a line of the configuration. */
export function paramLine(name: string, value: string): string {
  return `<param name="${name}" value="${value}"/>`
}

/** Returns whether the engine reads a value as true. */
export function isTrue(value: string | undefined): boolean {
  return ['true', 'yes', 'on', 'enabled', 'active', 'allow', '1'].includes((value ?? '').toLowerCase())
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
