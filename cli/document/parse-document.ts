import { LineCounter, isAlias, isNode, parseDocument as parseYaml, visit } from 'yaml'
import {
  type AccountRecord,
  type BlacklistEntry,
  DocumentError,
  type DomainDocument,
  type RoleRecord,
} from './model.ts'
import { numbersOf } from './account-numbers.ts'
import { readEmail } from './parse-email.ts'
import { readGateway } from './parse-gateway.ts'
import { readHook } from './parse-hook.ts'
import { readPublicRoutes, readRoutes } from './parse-routes.ts'
import { requireReference } from './parse-secret.ts'
import { isPin, isReference } from './secrets.ts'
import { Place } from './yaml-place.ts'

/** The most characters of a document: several times the largest domain that the platform allows without blacklists. */
const maxCharacters = 16 * 1024 * 1024

const parts = [
  'callplane',
  'domain',
  'parameters',
  'variables',
  'roles',
  'accounts',
  'blacklists',
  'email',
  'gateways',
  'routes',
  'hooks',
] as const

/** The version of the format of documents. */
export const formatVersion = 1

/**
 * Reads a document. Throws a {@link DocumentError} with file, line and column for everything that is not of the format. The rules
 * of values are those of the platform, which checks them when the document is applied.
 */
export function parseDocument(text: string, file: string): DomainDocument {
  const root = rootOf(text, file)
  const { callplane, domain, ...given } = root.members(parts)
  if (callplane === undefined) throw root.error(`must begin with "callplane: ${formatVersion}"`)
  if (callplane.wholeNumber() !== formatVersion) throw callplane.error(`must be ${formatVersion}`)
  if (domain === undefined) throw root.error('must name its domain: "domain: <name>"')
  return {
    domain: domain.text().toLowerCase(),
    ...(given.parameters && { parameters: settingsOf(given.parameters) }),
    ...(given.variables && { variables: settingsOf(given.variables) }),
    ...(given.roles && { roles: byName(given.roles, readRole) }),
    ...(given.accounts && { accounts: readAccounts(given.accounts) }),
    ...(given.blacklists && { blacklists: byName(given.blacklists, readBlacklist) }),
    ...(given.email && { email: given.email.isNull ? null : readEmail(given.email) }),
    ...(given.gateways && { gateways: byName(given.gateways, readGateway) }),
    ...routesOf(given.routes),
    ...(given.hooks && { hooks: given.hooks.items().map(readHook) }),
  }
}

function rootOf(text: string, file: string): Place {
  if (text.length > maxCharacters) throw new DocumentError(`${file}: must have at most ${maxCharacters} characters`)
  const lines = new LineCounter()
  const yaml = parseYaml(text, { lineCounter: lines, merge: false, uniqueKeys: true, prettyErrors: false })
  const source = { name: file, lines }
  const [problem] = yaml.errors
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0])
    throw new DocumentError(`${file}:${line}:${col}: ${problem.message}`)
  }
  visit(yaml, {
    Node(_, node) {
      if (isAlias(node) || node.anchor !== undefined) {
        throw new Place(node, source, '').error('anchors and aliases (&, *) are not allowed: write the value out')
      }
    },
  })
  return new Place(isNode(yaml.contents) ? yaml.contents : null, source, '')
}

/** Routes have a name for each of their kinds. */
function routesOf(place: Place | undefined): Pick<DomainDocument, 'routes' | 'publicRoutes'> {
  const kinds = place?.members(['default', 'public'])
  return {
    ...(kinds?.default && { routes: readRoutes(kinds.default) }),
    ...(kinds?.public && { publicRoutes: readPublicRoutes(kinds.public) }),
  }
}

/** Reads settings. An empty value is the same as none, and a secret is a reference. */
function settingsOf(place: Place): Readonly<Record<string, string>> {
  const read = place.entries().map(([name, value]) => {
    const text = value.isNull ? '' : value.text()
    if (isPin(name)) requireReference(value, text)
    else if (isReference(text)) throw value.error('is no secret, and only secrets may name the environment')
    return [name, text] as const
  })
  return Object.fromEntries(read.filter(([, text]) => text !== ''))
}

function readAccounts(place: Place): Readonly<Record<string, AccountRecord>> {
  const entries = place.entries()
  const seen = new Map<string, string>()
  const accounts = entries.map(([login, value]): [string, AccountRecord] => {
    const same = seen.get(login.toLowerCase())
    if (same !== undefined) throw value.error(`is the same login as "${same}"`)
    seen.set(login.toLowerCase(), login)
    return [login, readAccount(value)]
  })
  checkNumbers(entries, accounts)
  return Object.fromEntries(accounts)
}

function readAccount(place: Place): AccountRecord {
  const { role, password, parameters, variables } = place.members(['role', 'password', 'parameters', 'variables'])
  const text = password?.text()
  if (password !== undefined && text !== undefined) requireReference(password, text)
  for (const [name, value] of parameters?.entries() ?? []) {
    if (name === 'password' || name === 'role') throw value.error(`must stand at the account itself, as "${name}"`)
  }
  for (const [name, value] of variables?.entries() ?? []) {
    if (name === 'account_role') throw value.error('must stand at the account itself, as "role"')
  }
  return {
    role: role?.text() ?? 'user',
    ...(text === undefined || !isReference(text) ? {} : { password: text }),
    parameters: parameters === undefined ? {} : settingsOf(parameters),
    variables: variables === undefined ? {} : settingsOf(variables),
  }
}

function checkNumbers(entries: readonly [string, Place][], accounts: readonly [string, AccountRecord][]): void {
  const holders = new Map<string, string>()
  for (const [index, [login, account]] of accounts.entries()) {
    for (const number of numbersOf(login, account)) {
      const other = holders.get(number)
      if (other !== undefined) throw entries[index]?.[1].error(`has the number ${number}, which ${other} has, too`)
      holders.set(number, login)
    }
  }
}

function readRole(place: Place): RoleRecord {
  const { parent, allows } = place.members(['parent', 'allows'])
  return {
    parent: parent === undefined || parent.isNull ? null : parent.text(),
    allows: allows === undefined ? {} : byName(allows, (permissions) => permissions.items().map((each) => each.text())),
  }
}

/** A blacklist is a list of numbers, or a map from numbers to `expires` and `note`. */
function readBlacklist(place: Place): Readonly<Record<string, BlacklistEntry>> {
  if (place.isList) return Object.fromEntries(place.items().map((item) => [numberIn(item, item.text()), {}]))
  const entries = new Map<string, BlacklistEntry>()
  for (const [text, value] of place.entries()) {
    const number = numberIn(value, text)
    if (entries.has(number)) throw value.error(`the number ${number} is there twice`)
    entries.set(number, entryOf(value))
  }
  return Object.fromEntries(entries)
}

function entryOf(place: Place): BlacklistEntry {
  const { expires, note } = place.members(['expires', 'note'])
  return {
    ...(expires === undefined ? {} : { expires: timeOf(expires) }),
    ...(note === undefined || note.isNull || note.text() === '' ? {} : { note: note.text() }),
  }
}

/** Returns a number as the platform keeps it: without the punctuation that people write between digits. */
function numberIn(place: Place, text: string): string {
  const number = text.replaceAll(/[ ().-]/g, '')
  if (!/^[0-9+*#A-Za-z]{1,32}$/.test(number)) throw place.error(`"${text.slice(0, 64)}" is not a number`)
  return number
}

function timeOf(place: Place): number {
  const text = place.text()
  const moment = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (!Number.isSafeInteger(moment)) throw place.error('must be a time such as 2027-01-31T08:00:00Z')
  return moment
}

function byName<T>(place: Place, read: (value: Place, name: string) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(place.entries().map(([name, value]) => [name, read(value, name)]))
}
