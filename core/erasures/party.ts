import { formOfListed, formsOfListed } from '../blacklists/number-form.ts'
import type { Account } from '../accounts/account.ts'
import type { Clause } from '../cdr/search-plan.ts'
import { numberParameters } from '../client-names/domain-parameters.ts'

/** Somebody whose traces can be removed: a number or an account of a domain. */
export interface CallParty {
  /** `<login>@<domain>` of an account. */
  readonly presenceId?: string | undefined
  /** Every spelling under which the party may stand in a record: of the number, or of the login and its numbers. */
  readonly names: readonly string[]
  /** The parameters of the domain that say how its country writes numbers. */
  readonly country: Readonly<Record<string, string>>
}

type Parameters = Readonly<Record<string, string>>

/** Returns the party of a number, in all spellings of the domain's country. */
export function partyOfNumber(number: string, parameters: Parameters): CallParty {
  return { names: [...formsOfListed(number, parameters)], country: countryOf(parameters) }
}

/** Returns the party of an account; one that is gone is known by its login alone. */
export function partyOfAccount(
  { domain, login }: Pick<Account, 'domain' | 'login'>,
  account: Pick<Account, 'login' | 'numbers'> | undefined,
  parameters: Parameters,
): CallParty {
  const numbers = (account?.numbers ?? []).flatMap((number) => formsOfListed(number, parameters))
  const name = account?.login ?? login
  const names = [...new Set([name, name.toLowerCase(), ...numbers])]
  return { presenceId: `${name}@${domain}`, names, country: countryOf(parameters) }
}

function countryOf(parameters: Parameters): Parameters {
  const names: readonly string[] = Object.values(numberParameters)
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)))
}

/** Fields and variables of a CDR that hold a party of the call, alone. */
const partyFields = [
  'caller_id_number',
  'caller_id_name',
  'destination_number',
  'extension',
  ...variables('sip_from_user sip_from_user_stripped sip_to_user sip_req_user sip_contact_user sip_auth_username'),
  ...variables('user_name requested_user_name dialed_user number_alias sip_number_alias accountcode'),
  ...variables(
    'effective_caller_id_number effective_caller_id_name outbound_caller_id_number last_sent_callee_id_number',
  ),
  ...variables('origination_caller_id_number origination_caller_id_name origination_callee_id_number'),
]

/** Variables that hold a party before the `@` of an address. */
const addressVariables = variables('sip_from_uri sip_to_uri sip_req_uri sip_contact_uri presence_id')

function variables(names: string): string[] {
  return names.split(' ').map((name) => `variables.${name}`)
}

/** Returns the condition on CDRs that name a party. */
export function partyClause({ names, presenceId }: CallParty): Clause {
  const should: Clause[] = [
    ...partyFields.map((field): Clause => ({ kind: 'equals', field, values: names })),
    ...addressVariables.flatMap((field) => names.map((name): Clause => ({ kind: 'prefix', field, text: `${name}@` }))),
    ...(presenceId === undefined ? [] : [{ kind: 'equals', field: 'presence_id', values: [presenceId] } as const]),
  ]
  return { kind: 'bool', must: [], mustNot: [], should, leastShould: 1 }
}

/** Names of event fields that may hold a party; times, ports, codes and what the engine calls its parts do not. */
const partyField =
  /caller|calle[er]|called|dest|presence|user|number|from|_to|to_|uri|contact|account|login|ani\b|rdnis|dial|name|arg|phone|email/i
const otherField =
  /port|time|epoch|uuid|unique|sequence|count|profile|host|switchname|core-|thread|codec|event-(?!domain)|dialplan|source|direction|context|network|gateway|params|user.agent/i
const channelName = /channel.name/i

/** A SIP or tel URI. Its group is the address without the parameters, which do not name a person. */
const uri = /\b(?:sips?|tel):([^\s;>,"]*)[^\s>,"]*/g

/** Digits with hyphens or dots between them; no IPv4 address and no date, and no extension is written like that. */
const dottedNumber = /^(?!\d{1,3}(?:\.\d{1,3}){3}$|\d{4}-\d\d-\d\d$)\+?\d[\d.-]{7,}$/

/**
 * Returns a test of texts: whether one contains the party as a word of its own, or its whole address. Numbers are found
 * in any spelling and at any host, logins only as they are, in any case.
 */
export function namesParty({ names, presenceId, country }: CallParty): (text: string) => boolean {
  const formOf = (word: string) =>
    /^\+?\d+$/.test(word) || dottedNumber.test(word) ? formOfListed(word, country) : word
  const address = presenceId?.toLowerCase()
  const forms = new Set(names.map((name) => formOf(name.toLowerCase())).filter(hasName))
  const ofAnyHost = new Set(forms)
  if (address !== undefined) ofAnyHost.delete(formOf(address.slice(0, address.lastIndexOf('@'))))
  const isName = (word: string) => {
    if (!hasName(word)) return false
    const at = word.lastIndexOf('@')
    return at === -1 ? forms.has(formOf(word)) : word === address || ofAnyHost.has(formOf(word.slice(0, at)))
  }
  return (text) => {
    const words = text
      .toLowerCase()
      .replaceAll(uri, ' $1 ')
      .split(/[^a-z0-9._+*#@-]+/)
    return words
      .filter(({ length }) => length <= longestName)
      .some((word) => isName(word) || isName(word.replaceAll(/^[._-]+|[._-]+$/g, '')))
  }
}

/** Of a login, `@` and a domain. */
const longestName = 64 + 1 + 253

/** Returns whether a number or login is more than punctuation, so that it can name somebody. */
export function hasName(name: string): boolean {
  return /[^\s().@-]/.test(name)
}

/** Parts of the names of files that look like numbers and are none: ids of calls, dates and times. */
const noNumber =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<!\d)(?:20\d\d[-_.]\d\d[-_.]\d\d|\d\d[-_.]\d\d[-_.](?:20)?\d\d)(?!\d)/gi

/**
 * Returns a test of names of files: whether one names the party as a text does, or has its number, of three digits or
 * more, between other parts.
 */
export function fileNamesParty(party: CallParty): (name: string) => boolean {
  const isNamed = namesParty(party)
  return (name) => {
    const stem = name.replace(/\.[a-z]\w{1,4}$/i, '')
    const parts = stem.replaceAll(noNumber, '_').split(/[_.-]/)
    return isNamed(stem) || parts.some((part) => /^\+?\d{3,}$/.test(part) && isNamed(part))
  }
}

/** Returns a test of an event's fields: whether one that may hold a party of a call names this one. */
export function eventNamesParty(party: CallParty): (fields: Readonly<Record<string, unknown>>) => boolean {
  const isNamed = namesParty(party)
  return (fields) =>
    Object.entries(fields).some(([name, value]) => {
      if (!partyField.test(name) || otherField.test(name)) return false
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      return isNamed(channelName.test(name) ? text.slice(text.lastIndexOf('/') + 1) : text)
    })
}
