import { type DomainError, invalidField } from '../../errors.ts'

/** The position of an expression in the request, for refusals. */
export interface ExpressionLocation {
  /** The field's path, for example `callflow[0].if.expression`. */
  readonly field: string
}

/**
 * Returns the refusal of an expression. `at` is the offset of the offending character, which is reported counted from
 * one.
 */
export function refuse({ field }: ExpressionLocation, at: number, problem: string): DomainError {
  return invalidField(field, `at character ${at + 1}: ${problem}`)
}

/** Quotes a piece of the caller's text for an error message. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 32))
}
