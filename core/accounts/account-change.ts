import { aclOfRole, rootRole } from '../access/roles.ts'
import { invalidField } from '../errors.ts'
import type { CustomRole } from '../access/custom-role.ts'
import { type Assignment, checkExpansion, readAssignments } from './assignments.ts'
import { isClientParameter, isClientVariable } from './setting-names.ts'

/** The fields of a request that set something of an account. */
export interface AccountInput {
  readonly password?: string | undefined
  readonly role?: string | undefined
  readonly parameters?: readonly string[] | undefined
  readonly variables?: readonly string[] | undefined
}

/** What a request sets, whichever of its fields it came in. */
export interface AccountChange {
  readonly password: string | undefined
  readonly role: string | undefined
  /** Absent: unchanged. Empty: back to the login alone. */
  readonly numbers: readonly string[] | undefined
  /** The voicemail PIN; empty removes it. */
  readonly voicemailPin: string | undefined
  readonly parameters: readonly Assignment[]
  readonly variables: readonly Assignment[]
}

/** Parameters that are kept in fields of their own. */
const ownFields: ReadonlySet<string> = new Set(['password', 'role', 'svc-extensions', 'vm-password'])

/**
 * Reads what a request sets. Password and role may come as parameters, and the role as the variable `account_role`
 * too; the field of the request itself wins. Throws `invalid_field` for whatever the contract does not allow; whether
 * the role exists is for {@link checkRole} to say.
 */
export function readChange(input: AccountInput, passwordMinLength: number): AccountChange {
  const parameters = readAssignments('parameters', input.parameters, isClientParameter)
  const variables = readAssignments('variables', input.variables, isAccountVariable)
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

/** The role may be written as a variable, too. */
function isAccountVariable(name: string): boolean {
  return name === 'account_role' || isClientVariable(name)
}

function asAssignment(field: string, value: string | undefined): Assignment | undefined {
  return value === undefined ? undefined : { field, name: field, value }
}

function checkPassword({ field, value }: Assignment, minLength: number): string {
  checkExpansion(field, value)
  if (value.length < minLength) throw invalidField(field, `must have at least ${minLength} characters`)
  if (value.length > 128) throw invalidField(field, 'must have at most 128 characters')
  return value
}

/** Refuses a role that no account can have: root's, and one that neither every domain has nor this one made. */
export function checkRole(role: string | undefined, custom: readonly CustomRole[]): void {
  if (role === undefined || (role !== rootRole && aclOfRole(role, custom) !== undefined)) return
  throw invalidField('role', 'must be "admin", "user" or a role of the domain')
}

/** An update may drop all numbers of an account and add as many; the store changes 100 items at once, one the account. */
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
