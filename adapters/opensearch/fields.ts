import { fieldTypeOf } from '../../core/cdr/cdr-fields.ts'

/** The type under which the search store keeps a field. */
export type FieldKind = 'keyword' | 'long' | 'double' | 'date'

const kinds = { text: 'keyword', integer: 'long', decimal: 'double', date: 'date' } as const

/** Returns the kind of a field of the contract; any other is text. */
export function fieldKind(field: string): FieldKind {
  return kinds[fieldTypeOf(field) ?? 'text']
}
