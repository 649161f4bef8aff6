import {
  type AccountRecord,
  type BlacklistEntry,
  type DomainState,
  type HookRecord,
  type RoleRecord,
  type Settings,
  memberOf,
} from './model.ts'
import { numbersOf } from './account-numbers.ts'
import { listedNumber } from './listed-number.ts'
import { comparable } from './secrets.ts'
import type { Records } from './steps.ts'

/**
 * Returns a domain in the one form in which it is compared: without what means the same as its absence. `now` in epoch
 * milliseconds decides which numbers of blacklists have ended, `parameters` in which form they are: those that the
 * domain will have.
 */
export function normalForm(state: DomainState, now: number, parameters = state.parameters): DomainState {
  const { domain } = state
  return {
    ...state,
    roles: mapValues(state.roles, normalRole),
    accounts: mapValues(state.accounts, (account, login) => normalAccount(account, login, domain)),
    blacklists: normalBlacklists(state.blacklists, parameters, now),
    routes: state.routes.toSorted(comparing('route')),
    publicRoutes: state.publicRoutes.toSorted(comparing('publicRoute')),
    hooks: state.hooks.toSorted(compareHooks),
  }
}

/** Returns how a document orders routes of a kind: by their order, equal ones by their content. */
export function comparing<K extends 'route' | 'publicRoute'>(kind: K): (a: Records[K], b: Records[K]) => number {
  return (a, b) => a.order - b.order || compareTexts(comparable(kind, a), comparable(kind, b))
}

/** Orders hooks as a document lists them: by event and url, equal ones by their content. */
export function compareHooks(a: HookRecord, b: HookRecord): number {
  const text = (hook: HookRecord) => [hook.event, hook.url, comparable('hook', hook)].join('\n')
  return compareTexts(text(a), text(b))
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Returns a role without empty permissions, the others in order. */
export function normalRole({ parent, allows }: RoleRecord): RoleRecord {
  const held = Object.entries(allows).map(([resource, permissions]): [string, readonly string[]] => [
    resource,
    permissions.includes('*') ? ['*'] : [...new Set(permissions)].sort(),
  ])
  return { parent, allows: Object.fromEntries(held.filter(([, permissions]) => permissions.length > 0)) }
}

/** Parameters that the platform shows for every account, with the values that they have without being set. */
const usualParameters: Settings = { 'vm-enabled': 'false', 'cc-agent': 'false' }

/** Returns an account without what the platform shows of every account. */
export function normalAccount(account: AccountRecord, login: string, domain: string): AccountRecord {
  const numbers = numbersOf(login, account)
  const { 'svc-extensions': _numbers, 'cc-agent-contact': contact, ...parameters } = account.parameters
  const isUsual = numbers.length === 1 && numbers[0] === login
  return {
    ...account,
    parameters: {
      ...without(parameters, usualParameters),
      ...(isUsual ? {} : { 'svc-extensions': numbers.join(',') }),
      ...(contact === undefined ? {} : { 'cc-agent-contact': wholeContact(contact, domain) }),
    },
    variables: without(account.variables, { effective_caller_id_name: login, outbound_caller_id_name: login }),
  }
}

/** Returns a contact with its domain, as the platform keeps it. */
function wholeContact(contact: string, domain: string): string {
  const [, login, given = domain] = /^user\/([^@]+)(?:@([^@]*))?$/.exec(contact) ?? []
  return login === undefined ? contact : `user/${login}@${given.toLowerCase()}`
}

function normalBlacklists(
  blacklists: DomainState['blacklists'],
  parameters: Settings,
  now: number,
): DomainState['blacklists'] {
  const lists = mapValues(blacklists, (entries) =>
    Object.fromEntries(
      Object.entries(entries)
        .filter(([, { expires }]: [string, BlacklistEntry]) => expires === undefined || expires > now)
        .map(([number, entry]) => [listedNumber(number, parameters), entry]),
    ),
  )
  return Object.fromEntries(Object.entries(lists).filter(([, entries]) => Object.keys(entries).length > 0))
}

function without(settings: Settings, usual: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => memberOf(usual, name) !== value))
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
}
