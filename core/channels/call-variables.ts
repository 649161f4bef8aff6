import type { Acl } from '../access/acl.ts'
import { scopeOf } from '../access/permission.ts'
import { type ClientVariables, assignmentProblem } from '../client-names/client-names.ts'
import { DomainError } from '../errors.ts'

/** Channel variables of a call, by name. */
export type CallVariables = Readonly<Record<string, string>>

/** The rules for the variables of a call. */
export interface CallVariableRules {
  /** Whether the caller may change accounts; such a caller may also choose caller ids and groups for one call. */
  readonly isTrusted: boolean
  readonly added: ClientVariables
}

/** Returns the rules for a caller with these permissions. */
export function callVariableRules(acl: Acl, added: ClientVariables): CallVariableRules {
  return { isTrusted: scopeOf(acl, 'account', 'u') === 'all', added }
}

/**
 * Returns the variables of a call if the closed list allows all of them. Throws `invalid_field` that names each refused
 * one.
 */
export function checkCallVariables(
  variables: CallVariables = {},
  { isTrusted, added }: CallVariableRules,
): CallVariables {
  const place = isTrusted ? 'trustedCallVariables' : 'callVariables'
  const details = Object.entries(variables).flatMap(([name, value]) => {
    const problem = assignmentProblem(place, name, value, { added })
    return problem === undefined ? [] : [{ field: `variables.${name}`, problem }]
  })
  const [first] = details
  if (first === undefined) return variables
  throw new DomainError('invalid_field', `${first.field}: ${first.problem}`, { details })
}
