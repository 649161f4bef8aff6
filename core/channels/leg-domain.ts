import { gatewayOfEngine } from '../gateways/gateway.ts'
import { callIdOf } from './call-id.ts'

/** Reads one header or column of the engine's report; an empty value counts as absent. */
export type ReadField = (name: string) => string | undefined

/** The engine's names of the presence id in events and in the rows of `show channels`. */
const presenceFields = ['Channel-Presence-ID', 'presence_id', 'variable_presence_id']
const contextFields = ['Caller-Context', 'context', 'variable_user_context']
const partnerFields = ['Other-Leg-Unique-ID', 'variable_originating_leg_uuid', 'variable_other_loopback_leg_uuid']

const eventFields = ['realm', 'domain_name', 'from-host', 'host', 'Event-Domain', 'Domain-Name', 'domain']

const maxNameLength = 253

/**
 * Yields the names that may be the domain of a call leg, best first, lower-cased: the leg's domain is the first one
 * that exists as a domain. The domain that the service recorded for the leg's uuid has precedence, and the caller must
 * check it. A name is used whole or not at all: no suffix or part of it is a candidate. `domainOfLeg` returns the
 * domain of another leg by its uuid. Reads no field before its name is asked for: the first one is nearly always the
 * domain.
 */
export function legDomainCandidates(
  read: ReadField,
  domainOfLeg: (uuid: string) => string | undefined,
): Iterable<string> {
  return names([
    () => read('variable_domain_name'),
    () => read('variable_w_domain'),
    () => (cameIn(read) ? undefined : domainOfGateway(read('variable_sip_gateway_name'))),
    ...presenceFields.map((field) => () => (cameIn(read) ? undefined : hostOf(read(field)))),
    ...contextFields.map((field) => () => read(field)),
    ...partnerFields.map((field) => () => {
      const uuid = read(field)
      return uuid === undefined ? undefined : domainOfLeg(callIdOf(uuid))
    }),
  ])
}

/**
 * Yields the names that may be the domain of an event without a call, best first, lower-cased. An event of a gateway is
 * of the domain in the gateway's name at the engine.
 */
export function eventDomainCandidates(read: ReadField): Iterable<string> {
  if (isOfGateway(read)) return names([() => domainOfGateway(read('Gateway'))])
  return names(eventFields.map((field) => () => read(field)))
}

/** Returns whether an event is the engine's own about a gateway. */
export function isOfGateway(read: ReadField): boolean {
  return read('Event-Subclass')?.startsWith('sofia::gateway_') === true
}

/**
 * Returns the domain of a gateway by its name at the engine. The engine writes the name on each leg that it calls
 * through a gateway. A leg that comes in names the one that its sender chose, so it is not asked for.
 */
function domainOfGateway(gateway: string | undefined): string | undefined {
  return gatewayOfEngine(gateway ?? '')?.domain
}

/**
 * Returns whether the leg came in from outside. Its presence id is then the From header, which the caller chooses. The
 * presence id of a leg that the engine placed comes from the service's own dial string.
 */
function cameIn(read: ReadField): boolean {
  return (read('Call-Direction') ?? read('direction')) === 'inbound'
}

/** Returns the part after the `@` of a presence id; `undefined` unless there is exactly one `@`. */
function hostOf(presenceId: string | undefined): string | undefined {
  const parts = presenceId?.split('@') ?? []
  return parts.length === 2 ? parts[1] : undefined
}

function* names(values: readonly (() => string | undefined)[]): Generator<string> {
  const found = new Set<string>()
  for (const valueOf of values) {
    const name = valueOf()?.toLowerCase()
    if (name === undefined || name === '' || name.length > maxNameLength || found.has(name)) continue
    found.add(name)
    yield name
  }
}
