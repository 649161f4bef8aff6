import { type FieldType, fieldTypeOf, variablePrefix } from '../cdr-fields.ts'
import { refused } from './refusal.ts'

/** Returns the field of an aggregation. */
export function fieldIn(members: ReadonlyMap<string, unknown>, types: readonly FieldType[], at: string): string {
  const given = members.get('field')
  if (typeof given !== 'string') throw refused(`${at}.field`, 'must be the name of a field')
  const field = given === '_id' ? 'uuid' : given
  const type = fieldTypeOf(field)
  if (type !== undefined && types.includes(type) && !field.startsWith(variablePrefix)) return field
  throw refused(`${at}.field`, `must be a field of CDRs that is ${types.join(' or ')}, and no variable`)
}
