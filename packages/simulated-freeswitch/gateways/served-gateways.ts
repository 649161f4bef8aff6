import type { XmlLookup } from '../lookups/xml-lookup.ts'
import { attribute, child, children, readDocument } from '../lookups/xml-answer.ts'
import { toByteText } from '../runtime/byte-text.ts'

/** A gateway as the lookup serves it. All byte text. */
export interface ServedGateway {
  readonly name: string
  readonly parameters: ReadonlyMap<string, string>
  /** Variables of calls that come from it, and of those that go to it. */
  readonly inbound: ReadonlyMap<string, string>
  readonly outbound: ReadonlyMap<string, string>
}

/**
 * Asks for the gateways of a SIP profile (`xml-curl/api-sofia-rescan-4.http`). None where the service has none.
 * Rejects when the service fails or answers no document.
 */
export async function askGateways(lookup: XmlLookup, profile: string): Promise<readonly ServedGateway[]> {
  const form = { hostname: 'fs1', section: 'directory', tag_name: '', key_name: '', key_value: '' }
  const answer = await lookup({ ...form, 'Event-Name': 'REQUEST_PARAMS', purpose: 'gateways', profile })
  const domains = children(child(readDocument(answer), 'section'), 'domain')
  return domains
    .flatMap((domain) => children(domain, 'user'))
    .flatMap((user) => children(child(user, 'gateways'), 'gateway'))
    .map(readGateway)
}

function readGateway(element: unknown): ServedGateway {
  const variables = children(child(element, 'variables'), 'variable')
  const directed = (direction: string) =>
    valuesOf(variables.filter((one) => (attribute(one, 'direction') ?? direction) === direction))
  return {
    name: toByteText(attribute(element, 'name') ?? ''),
    parameters: valuesOf(children(element, 'param')),
    inbound: directed('inbound'),
    outbound: directed('outbound'),
  }
}

function valuesOf(elements: readonly unknown[]): ReadonlyMap<string, string> {
  return new Map(
    elements.map((one) => [toByteText(attribute(one, 'name') ?? ''), toByteText(attribute(one, 'value') ?? '')]),
  )
}
