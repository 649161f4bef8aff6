import { type DomainError, invalidField } from '../../errors.ts'

/** Where an expression stands in the request, for its refusals. */
export interface ExpressionPlace {
  /** The field's path, for example `callflow[0].if.expression`. */
  readonly field: string
}

/** The refusal of an expression: `at` is the offset of the character that it fails at, told as counted from one. */
export function refuse({ field }: ExpressionPlace, at: number, problem: string): DomainError {
  return invalidField(field, `at character ${at + 1}: ${problem}`)
}

/** A piece of the caller's text in an error message. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 32))
}
