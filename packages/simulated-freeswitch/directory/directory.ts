import type { XmlLookup } from '../lookups/xml-lookup.ts'
import { attribute, child, children, readDocument } from '../lookups/xml-answer.ts'
import { fromByteText, toByteText } from '../runtime/byte-text.ts'

/** A user as the directory describes it. All byte text. */
export interface DirectoryUser {
  readonly login: string
  readonly domain: string
  /** The variables that every channel of the user carries: the domain's, then the user's own. */
  readonly variables: ReadonlyMap<string, string>
  /** Whether `vm-enabled` of the user, or else of the domain, leaves the mailbox on. */
  readonly hasMailbox: boolean
}

/** A lookup of one user: who, where, and for what. */
export interface DirectoryQuestion {
  /** A login or a number. */
  readonly user: string
  readonly domain: string
  /** `user_call` before a phone is rung, `sip_auth` when one registers. */
  readonly action: 'user_call' | 'sip_auth'
  /** Where a phone registers; the address of the user by default. */
  readonly to?: PhoneAddress
}

/** The address in the To header of a phone's registration. All byte text. */
export interface PhoneAddress {
  readonly login: string
  readonly domain: string
}

/** A user that the directory answered with, and its word on how long the engine may remember it: empty, not at all. */
export interface AnsweredUser {
  readonly user: DirectoryUser
  readonly cacheable: string
}

/**
 * Asks the directory for a user, and parses the answer as the engine does: through its preprocessor. Rejects when the
 * directory fails or answers no document.
 */
export async function askDirectory(lookup: XmlLookup, question: DirectoryQuestion): Promise<AnsweredUser | undefined> {
  const user = fromByteText(question.user)
  const domain = fromByteText(question.domain)
  const { login, domain: host } = question.to ?? { login: question.user, domain: question.domain }
  const to = { login: fromByteText(login), domain: fromByteText(host) }
  const answer = await lookup(lookupForm({ user, domain, action: question.action, to }))
  return readUser(readDocument(answer), domain)
}

/** The fields of a lookup, as far as a directory can have a use for them (`xml-curl/call-user-1.http`). */
function lookupForm({ user, domain, action, to }: Required<DirectoryQuestion>): Record<string, string> {
  const registration = {
    sip_auth_username: user,
    sip_auth_realm: domain,
    sip_to_user: to.login,
    sip_to_host: to.domain,
    sip_auth_method: 'REGISTER',
  }
  return {
    hostname: 'fs1',
    section: 'directory',
    tag_name: 'domain',
    key_name: 'name',
    key_value: domain,
    'Event-Name': 'REQUEST_PARAMS',
    ...(action === 'user_call' ? { as_channel: 'true' } : registration),
    action,
    key: 'id',
    user,
    domain,
  }
}

function readUser(document: unknown, domainName: string): AnsweredUser | undefined {
  const domain = children(child(document, 'section'), 'domain')[0]
  const groups = children(child(domain, 'groups'), 'group')
  const holders = [domain, ...groups]
  const users = [...holders, ...holders.map((holder) => child(holder, 'users'))].flatMap((holder) =>
    children(holder, 'user'),
  )
  const login = attribute(users[0], 'id')
  if (login === undefined) return undefined
  return {
    user: {
      login: toByteText(login),
      domain: toByteText(attribute(domain, 'name') ?? domainName),
      variables: new Map([...variablesOf(domain), ...variablesOf(users[0])]),
      hasMailbox: [domain, users[0]].map((holder) => mailboxFlag(holder)).findLast((flag) => flag !== '') !== 'false',
    },
    cacheable: attribute(users[0], 'cacheable') ?? '',
  }
}

function mailboxFlag(holder: unknown): string {
  const params = children(child(holder, 'params'), 'param')
  const flag = params.find((param) => attribute(param, 'name') === 'vm-enabled')
  return attribute(flag, 'value') ?? ''
}

function variablesOf(holder: unknown): [string, string][] {
  return children(child(holder, 'variables'), 'variable').flatMap((variable): [string, string][] => {
    const name = attribute(variable, 'name')
    const value = attribute(variable, 'value')
    return name === undefined || value === undefined || value === '' ? [] : [[toByteText(name), toByteText(value)]]
  })
}
