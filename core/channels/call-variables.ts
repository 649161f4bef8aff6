import { isClientVariable } from '../accounts/setting-names.ts'
import { DomainError } from '../errors.ts'

/** Channel variables of a call, by name. */
export type CallVariables = Readonly<Record<string, string>>

/**
 * The variables of a call, when clients may set all of them. Throws `invalid_field` that names each refused one.
 */
export function checkCallVariables(variables: CallVariables = {}): CallVariables {
  const refused = Object.keys(variables).filter((name) => !isClientVariable(name))
  const [first] = refused
  if (first === undefined) return variables
  const problem = 'is a name that the engine gives a meaning to: choose another'
  throw new DomainError('invalid_field', `variables.${first}: ${problem}`, {
    details: refused.map((name) => ({ field: `variables.${name}`, problem })),
  })
}
