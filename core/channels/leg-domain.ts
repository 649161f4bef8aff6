/** Reads one header or column of what the engine told; absent and empty are the same. */
export type ReadField = (name: string) => string | undefined

/** What the engine calls the same thing in events and in the rows of `show channels`. */
const presenceFields = ['Channel-Presence-ID', 'presence_id', 'variable_presence_id']
const contextFields = ['Caller-Context', 'context', 'variable_user_context']
const partnerFields = ['Other-Leg-Unique-ID', 'variable_originating_leg_uuid', 'variable_other_loopback_leg_uuid']

/** Registrations and other engine events without a call, then injected events. */
const eventFields = ['realm', 'domain_name', 'from-host', 'host', 'Event-Domain', 'Domain-Name', 'domain']

/** The longest name that a domain can have. */
const maxNameLength = 253

/**
 * The names that may be the domain of a call leg, best first, lower-cased: the leg's domain is the first of them that
 * exists as a domain. What the service recorded for the leg's uuid goes before all of these and is the caller's to
 * look at. A name is taken whole or not at all: no suffix or part of it is ever a candidate.
 * `domainOfLeg` tells the domain of another leg by its uuid.
 */
export function legDomainCandidates(read: ReadField, domainOfLeg: (uuid: string) => string | undefined): string[] {
  return names([
    read('variable_domain_name'),
    read('variable_w_domain'),
    ...presenceFields.map((field) => (cameIn(read) ? undefined : hostOf(read(field)))),
    ...contextFields.map(read),
    ...partnerFields.map((field) => {
      const uuid = read(field)
      return uuid === undefined ? undefined : domainOfLeg(uuid.toLowerCase())
    }),
  ])
}

/** The names that may be the domain of an event without a call, best first, lower-cased. */
export function eventDomainCandidates(read: ReadField): string[] {
  return names(eventFields.map(read))
}

/**
 * Whether the leg came in from outside. Its presence id is then the From header, which the caller chooses. That of a leg
 * which the engine placed comes from the service's own dial string.
 */
function cameIn(read: ReadField): boolean {
  return (read('Call-Direction') ?? read('direction')) === 'inbound'
}

/** The part after the `@` of a presence id; absent when there is not exactly one `@`. */
function hostOf(presenceId: string | undefined): string | undefined {
  const parts = presenceId?.split('@') ?? []
  return parts.length === 2 ? parts[1] : undefined
}

function names(values: readonly (string | undefined)[]): string[] {
  const found = new Set<string>()
  for (const value of values) {
    if (value !== undefined && value !== '' && value.length <= maxNameLength) found.add(value.toLowerCase())
  }
  return [...found]
}
