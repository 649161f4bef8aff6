import { aclOfRole, rootRole } from '../access/roles.ts'
import { invalidField } from '../errors.ts'
import type { CustomRole } from '../access/custom-role.ts'
import { lowerAscii } from '../access/resolve-domain.ts'
import type { AccountStore } from './account-store.ts'
import { type Assignment, type AssignmentRules, readAssignments } from '../client-names/assignments.ts'

/** The fields of a request that change an account. */
export interface AccountInput {
  readonly password?: string | undefined
  readonly role?: string | undefined
  readonly parameters?: readonly string[] | undefined
  readonly variables?: readonly string[] | undefined
}

/** The changes of a request, independent of the fields that carried them. */
export interface AccountChange {
  readonly password: string | undefined
  readonly role: string | undefined
  /** Absent: unchanged. Empty: only the login remains. */
  readonly numbers: readonly string[] | undefined
  /** The voicemail PIN; empty removes it. */
  readonly voicemailPin: string | undefined
  readonly parameters: readonly Assignment[]
  readonly variables: readonly Assignment[]
}

const ownFields: ReadonlySet<string> = new Set(['password', 'role', 'svc-extensions', 'vm-password'])

/** The rules that a request is checked against. */
export interface ChangeRules extends Omit<AssignmentRules, 'place'> {
  readonly domain: string
  readonly passwordMinLength: number
}

/**
 * Reads the changes of a request. Password and role may come as parameters, and the role also as the variable
 * `account_role`; the field of the request itself wins. Throws `invalid_field` for anything that the contract does not
 * allow. {@link checkRole} checks that the role exists, and {@link checkAgentContact} that a contact does.
 */
export function readChange(input: AccountInput, { passwordMinLength, ...rules }: ChangeRules): AccountChange {
  const items = input.parameters?.map((item) => withDomain(item, rules.domain))
  const parameters = readAssignments('parameters', items, { ...rules, place: 'accountParameters' })
  const variables = readAssignments('variables', input.variables, { ...rules, place: 'accountVariables' })
  const given = (list: readonly Assignment[], name: string) => list.find((assignment) => assignment.name === name)
  const password = asAssignment('password', input.password) ?? given(parameters, 'password')
  const role = asAssignment('role', input.role) ?? given(parameters, 'role') ?? given(variables, 'account_role')
  const numbers = given(parameters, 'svc-extensions')
  return {
    password: password && checkPassword(password, passwordMinLength),
    role: role?.value,
    numbers: numbers && readNumbers(numbers),
    voicemailPin: given(parameters, 'vm-password')?.value,
    parameters: parameters.filter(({ name }) => !ownFields.has(name)),
    variables: variables.filter(({ name }) => name !== 'account_role'),
  }
}

/** Completes the contact of an agent that is a login alone: the engine would look for it in its own domain. */
function withDomain(item: string, domain: string): string {
  const [, login, given = domain] = /^cc-agent-contact=user\/([^@]+)(?:@([^@]*))?$/.exec(item) ?? []
  return login === undefined ? item : `cc-agent-contact=user/${login}@${lowerAscii(given)}`
}

/** Refuses an agent's contact that is not an account of the domain. `login` is the account that is changed. */
export async function checkAgentContact(
  accounts: Pick<AccountStore, 'read'>,
  { parameters }: AccountChange,
  { domain, login }: { readonly domain: string; readonly login: string },
): Promise<void> {
  const given = parameters.find(({ name }) => name === 'cc-agent-contact')
  const [, contact] = /^user\/([^@]+)@/.exec(given?.value ?? '') ?? []
  if (given === undefined || contact === undefined || lowerAscii(contact) === lowerAscii(login)) return
  if ((await accounts.read(domain, contact)) !== undefined) return
  throw invalidField(given.field, `must name an account of the domain, and there is none with the login ${contact}`)
}

function asAssignment(field: string, value: string | undefined): Assignment | undefined {
  return value === undefined ? undefined : { field, name: field, value }
}

function checkPassword({ field, value }: Assignment, minLength: number): string {
  if (value.includes('${')) throw invalidField(field, 'must not contain "${", which the engine expands')
  if (/[\ufffe\uffff]/.test(value)) throw invalidField(field, 'must not contain the non-characters U+FFFE and U+FFFF')
  if (value.length < minLength) throw invalidField(field, `must have at least ${minLength} characters`)
  if (value.length > 128) throw invalidField(field, 'must have at most 128 characters')
  return value
}

/** Refuses a role that no account can have: root's, and an unknown one. */
export function checkRole(role: string | undefined, custom: readonly CustomRole[]): void {
  if (role === undefined || (role !== rootRole && aclOfRole(role, custom) !== undefined)) return
  throw invalidField('role', 'must be "admin", "user" or a role of the domain')
}

/**
 * An update may drop all numbers of an account and add as many; the store changes 100 items at once, including the
 * account.
 */
const maxNumbers = 49

function readNumbers({ field, value }: Assignment): string[] {
  const numbers = value === '' ? [] : value.split(',')
  if (!numbers.every((number) => /^[0-9*#+]{1,32}$/.test(number))) {
    throw invalidField(field, 'must be numbers of digits, *, # and +, separated by commas')
  }
  const distinct = [...new Set(numbers)]
  if (distinct.length > maxNumbers) throw invalidField(field, `must be at most ${maxNumbers} numbers`)
  return distinct
}
