import { dialString, servedAccount } from '../accounts/account-detail.ts'
import { couldBeDomain, lowerAscii } from '../access/resolve-domain.ts'
import type { Account } from '../accounts/account.ts'
import { type ClientVariables, servedSettings } from '../client-names/client-names.ts'
import type { Domain } from '../domains/domain.ts'
import type { PortsOf } from '../ports.ts'
import type { DirectoryDocument, DirectoryUser } from './directory-document.ts'
import { sharesEntry } from './shared-entry.ts'

/** The ports of {@link lookUpDirectory}. */
export type DirectoryPorts = PortsOf<{
  readonly accounts: readonly ['read', 'readByNumber']
  readonly domains: readonly ['read', 'anyExists']
}>

/** What the engine asks, by the names that its XML lookup sends (fixtures/freeswitch/xml-curl). */
export interface DirectoryQuestion {
  readonly section?: string | undefined
  readonly key?: string | undefined
  readonly key_name?: string | undefined
  readonly key_value?: string | undefined
  readonly user?: string | undefined
  readonly domain?: string | undefined
  readonly action?: string | undefined
}

/**
 * How long the engine may cache an account's record. The record is flushed when the account changes; this bounds how long
 * a lost flush can matter, and how late changes of the domain's own settings arrive. Above 2 147 483 ms the engine's
 * 32-bit arithmetic would make it expire at once.
 */
const cacheableMs = 60_000

const notFound: DirectoryDocument = { found: false }

/**
 * Returns the directory record that the engine asks for: of an account, found by its login or one of its numbers, or of
 * a domain alone. It holds the digest that phones log in by and never a password, and of what clients set only what the
 * closed lists allow today. Anything unknown is answered as not found, and so are log-ins to the engine's own event
 * socket, which no account may use.
 */
export async function lookUpDirectory(
  ports: DirectoryPorts,
  question: DirectoryQuestion,
  clientVariables: ClientVariables,
): Promise<DirectoryDocument> {
  const isDirectory = question.section === 'directory' && question.action !== 'event_socket_auth'
  const name = lowerAscii(question.domain ?? (question.key_name === 'name' ? question.key_value : undefined) ?? '')
  if (!isDirectory || !couldBeDomain(name)) return notFound
  const [domain, account] = await Promise.all([ports.domains.read(name), findUser(ports, name, question.user)])
  if (domain === undefined) return notFound
  const record = domainRecord(domain, clientVariables)
  if (question.user === undefined || question.user === '') return record
  if (account === undefined) return notFound
  const isCacheable = isAskedExactly(question, account) && !(await sharesEntry(ports.domains, account.login, name))
  return { ...record, user: userRecord(account, question.user, isCacheable, clientVariables) }
}

/**
 * Whether a flush of the account reaches what the engine would cache of the answer. The engine caches a record under the
 * key, the user and the domain that it asked by, as they are spelled, and a flush names the key `id`, the login and the
 * domain as they are stored.
 */
function isAskedExactly({ key, user, domain }: DirectoryQuestion, account: Account): boolean {
  return key === 'id' && user === account.login && domain === account.domain
}

async function findUser(
  { accounts }: DirectoryPorts,
  domain: string,
  user: string | undefined,
): Promise<Account | undefined> {
  if (user === undefined || !/^[A-Za-z0-9._+*#-]{1,64}$/.test(user)) return undefined
  return (await accounts.read(domain, user)) ?? (await accounts.readByNumber(domain, user))
}

function domainRecord({ name, ...domain }: Domain, added: ClientVariables) {
  const { served: parameters } = servedSettings('domainParameters', domain.parameters, { added })
  const { served: variables } = servedSettings('domainVariables', domain.variables, { added })
  return { found: true, name, parameters: { ...parameters, 'dial-string': dialString }, variables } as const
}

function userRecord(
  account: Account,
  asked: string,
  isCacheable: boolean,
  clientVariables: ClientVariables,
): DirectoryUser {
  const { login } = account
  return {
    id: login,
    ...(asked === login ? {} : { numberAlias: asked }),
    ...(isCacheable ? { cacheableMs } : {}),
    ...servedAccount(account, clientVariables),
  }
}
