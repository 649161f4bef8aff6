import type { Comparison, Expression, Operand } from '../default-routes/expression/expression.ts'
import { type LocalTime, isInSpan } from './call-time.ts'
import { type CallVariables, variableOf } from './call-variables.ts'

/** Finds a pattern in a text, in linear time. */
export type PatternFinder = (pattern: string, flags: string, text: string) => boolean

/** The call that a condition is asked about. */
export interface ExpressionCall {
  readonly variables: CallVariables
  readonly time: LocalTime
  readonly finds: PatternFinder
}

/**
 * Returns whether a condition holds. A variable that the call does not have is an empty text. Texts that are numbers
 * are compared as numbers. Empty text, `false` and 0 do not hold.
 */
export function holds(expression: Expression, call: ExpressionCall): boolean {
  return isTrue(valueOf(expression, call))
}

function isTrue(value: string): boolean {
  return value !== '' && value !== 'false' && value !== '0'
}

function valueOf(expression: Expression, call: ExpressionCall): string {
  switch (expression.kind) {
    case 'literal':
    case 'variable':
      return operandText(expression, call)
    case 'not':
      return String(!holds(expression.operand, call))
    case 'and':
      return String(expression.operands.every((operand) => holds(operand, call)))
    case 'or':
      return String(expression.operands.some((operand) => holds(operand, call)))
    case 'compare':
      return String(compare(expression.operator, valueOf(expression.left, call), valueOf(expression.right, call)))
    case 'time':
      return timeValue(expression, call)
    case 'match':
      return String(call.finds(expression.pattern, expression.flags, operandText(expression.subject, call)))
    case 'call':
      // No route with such a function can be saved; one from before takes the branch of "no".
      return 'false'
  }
}

function operandText(operand: Operand, { variables }: ExpressionCall): string {
  return operand.kind === 'literal' ? String(operand.value) : (variableOf(variables, operand.name) ?? '')
}

function timeValue({ name, spans }: Extract<Expression, { kind: 'time' }>, { time }: ExpressionCall): string {
  if (spans.length > 0) return String(spans.some((span) => isInSpan(time, name, span)))
  if (name === 'date_time') return time.text
  if (name === 'time_of_day') return time.text.slice(11)
  return String(time.values.get(name) ?? '')
}

const numeric = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/

function compare(operator: Comparison, left: string, right: string): boolean {
  const order =
    numeric.test(left) && numeric.test(right)
      ? Number(left) - Number(right)
      : left === right
        ? 0
        : left < right
          ? -1
          : 1
  switch (operator) {
    case '==':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '>':
      return order > 0
    case '<=':
      return order <= 0
    case '>=':
      return order >= 0
  }
}

/** Returns the functions of a condition that need more than the call: no engine can be asked for them. */
export function functionsOf(expression: Expression): string[] {
  switch (expression.kind) {
    case 'call':
      return [expression.name]
    case 'not':
      return functionsOf(expression.operand)
    case 'and':
    case 'or':
      return expression.operands.flatMap(functionsOf)
    case 'compare':
      return [...functionsOf(expression.left), ...functionsOf(expression.right)]
    case 'literal':
    case 'variable':
    case 'time':
    case 'match':
      return []
  }
}
