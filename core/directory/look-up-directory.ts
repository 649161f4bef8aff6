import { type ServedContext, dialString, servedAccount } from '../accounts/account-detail.ts'
import { asWritten, fullNameDialString, registeredName } from '../accounts/dial-string.ts'
import { couldBeDomain, lowerAscii } from '../access/resolve-domain.ts'
import type { Account } from '../accounts/account.ts'
import { type ClientVariables, assignmentProblem, servedSettings } from '../client-names/client-names.ts'
import type { Domain } from '../domains/domain.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { DirectoryDocument, DirectoryUser } from './directory-document.ts'

/** The ports of {@link lookUpDirectory}. */
export interface DirectoryPorts {
  readonly accounts: Pick<AccountStore, 'read' | 'readByNumber'>
  readonly domains: Pick<DomainStore, 'read' | 'anyExists'>
}

/** A lookup of the engine, under the names that its XML lookup sends (fixtures/freeswitch/xml-curl). */
export interface DirectoryQuestion {
  readonly section?: string | undefined
  readonly key?: string | undefined
  readonly key_name?: string | undefined
  readonly key_value?: string | undefined
  readonly user?: string | undefined
  readonly domain?: string | undefined
  readonly action?: string | undefined
  /** The method of the request that a phone is authenticated for, and the address in its To header. */
  readonly sip_auth_method?: string | undefined
  readonly sip_to_user?: string | undefined
  readonly sip_to_host?: string | undefined
  /** The host in the Contact header of the phone. */
  readonly sip_contact_host?: string | undefined
}

/** The inputs for answering a lookup. */
export interface DirectoryContext {
  readonly clientVariables: ClientVariables
  readonly a1Hash: (login: string, domain: string, password: string) => string
  /**
   * How long the engine may keep answers. Only an engine that registers phones under the full names of their accounts
   * says so; absent: it keeps none.
   */
  readonly cache?: string | undefined
  /**
   * Whether phones are rung at this host if their Contact names it; absent: at none. Answers depend on the Contact
   * then, and are never kept.
   */
  readonly isContactHost?: ((host: string) => boolean) | undefined
}

const longestLogin = 64

const notFound: DirectoryDocument = { found: false }

/**
 * Returns the directory record that the engine asks for: that of an account, found by its login or one of its numbers,
 * or that of a domain alone. It contains the digest that phones log in with and never a password, and only those client
 * settings that the closed lists allow today. Anything unknown is answered as not found, and so are log-ins to the
 * engine's own event socket, which no account may use.
 */
export async function lookUpDirectory(
  ports: DirectoryPorts,
  question: DirectoryQuestion,
  context: DirectoryContext,
): Promise<DirectoryDocument> {
  const { clientVariables, a1Hash, cache, isContactHost } = context
  const isDirectory = question.section === 'directory' && question.action !== 'event_socket_auth'
  const name = lowerAscii(question.domain ?? (question.key_name === 'name' ? question.key_value : undefined) ?? '')
  if (!isDirectory || !couldBeDomain(name)) return notFound
  const [domain, account] = await Promise.all([ports.domains.read(name), findUser(ports, name, question.user)])
  if (domain === undefined) return notFound
  const record = domainRecord(domain, context)
  if (question.user === undefined || question.user === '') return record
  if (account === undefined || hasOtherName(question, account) || registersElsewhere(question, account)) return notFound
  const pin = domainPin(domain)
  const domainPinHash = pin === undefined ? undefined : a1Hash(account.login, name, pin)
  const user = userRecord(account, question.user, { clientVariables, domainPinHash })
  const isAsWritten = isContactHost?.(question.sip_contact_host ?? '') === true
  const served = { ...user, parameters: { ...user.parameters, ...(isAsWritten ? {} : atTheSource) } }
  if (cache === undefined) return { ...record, user: served }
  const parameters = { ...served.parameters, ...registrationParameters(account) }
  const cacheable = isContactHost === undefined && (await mayBeKept(ports, question, account)) ? cache : undefined
  return { ...record, user: { ...user, parameters, cacheable } }
}

/** Makes the engine keep the address that a REGISTER came from, whatever host and port its Contact names. */
const atTheSource = { 'sip-force-contact': 'NDLB-connectile-dysfunction' }

/**
 * Makes the engine register the account's phones under its full name, whatever their To header says, and keeps the name
 * of its mailbox as it is.
 */
function registrationParameters(account: Account): Record<string, string> {
  return {
    'sip-force-extension': registeredName(account),
    'mwi-account': `${account.login}@${account.domain}`,
  }
}

/**
 * Whether the engine may keep the answer. It keeps answers by login and domain as they were asked for, joined without a
 * separator: `1000ac` of `me.example.com` and `1000` of `acme.example.com` are one. So an answer is kept only where no
 * other existing domain can read it as one of its own. Answers by number, or in other letters, are never kept, because
 * a change of the account flushes its exact name alone.
 */
async function mayBeKept(
  { domains }: DirectoryPorts,
  { user, domain }: DirectoryQuestion,
  account: Account,
): Promise<boolean> {
  if (user !== account.login || domain !== account.domain) return false
  return !(await domains.anyExists(otherDomains(account)))
}

/** The domains that the joined name could also be read as one of: what may be left of it is a login. */
function otherDomains({ login, domain }: Account): string[] {
  const joined = lowerAscii(login + domain)
  const splits = Array.from({ length: Math.min(longestLogin, joined.length - 1) }, (_, at) => joined.slice(at + 1))
  return splits.filter((name) => name !== domain && couldBeDomain(name))
}

/**
 * Whether a phone authenticates under another spelling or by a number of the account. The engine would name the phone's
 * calls by that, and not by the account. No ordinary phone can: the digest holds login and domain as they are stored.
 */
function hasOtherName({ action, user, domain }: DirectoryQuestion, account: Account): boolean {
  return action === 'sip_auth' && !(user === account.login && domain === account.domain)
}

/**
 * Whether a phone authenticates as the account to register under another address. The engine registers a phone under
 * its To header and does not compare that with the user that it authenticated, so that a phone of one tenant could
 * receive the calls of another's account. Letters count: the engine finds and drops registrations by the exact address.
 */
function registersElsewhere(
  { sip_auth_method: method, sip_to_user: user, sip_to_host: host }: DirectoryQuestion,
  { login, domain }: Account,
): boolean {
  return method === 'REGISTER' && !(user === login && host === domain)
}

async function findUser(
  { accounts }: DirectoryPorts,
  domain: string,
  user: string | undefined,
): Promise<Account | undefined> {
  if (user === undefined || !/^[A-Za-z0-9._+*#-]{1,64}$/.test(user)) return undefined
  return (await accounts.read(domain, user)) ?? (await accounts.readByNumber(domain, user))
}

function domainRecord(
  { name, ...domain }: Domain,
  { clientVariables: added, cache, isContactHost }: Omit<DirectoryContext, 'a1Hash'>,
) {
  const registered = cache === undefined ? dialString : fullNameDialString
  const ring = isContactHost === undefined ? registered : asWritten(registered)
  const { served: parameters } = servedSettings('domainParameters', domain.parameters, { added })
  const { served: variables } = servedSettings('domainVariables', domain.variables, { added })
  return { found: true, name, parameters: { ...parameters, 'dial-string': ring }, variables } as const
}

/**
 * The voicemail PIN of accounts that have none. The domain's record does not hold it: the engine gives each user the
 * parameters of the domain, so that it would open the voicemail of accounts with a PIN of their own as well.
 */
function domainPin({ parameters: { 'vm-password': pin } }: Domain): string | undefined {
  const context = { added: new Map() }
  const isPin = pin !== undefined && assignmentProblem('domainParameters', 'vm-password', pin, context) === undefined
  return isPin ? pin : undefined
}

function userRecord(account: Account, asked: string, context: ServedContext): DirectoryUser {
  const { login } = account
  return {
    id: login,
    ...(asked === login ? {} : { numberAlias: asked }),
    ...servedAccount(account, context),
  }
}
