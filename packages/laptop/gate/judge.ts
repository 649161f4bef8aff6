import type { Statement } from '../assembly/assembly.ts'
import { matchesParts } from '../patterns/match-parts.ts'
import type { RequestedAccess } from './requested-access.ts'

/** The context of conditions: condition keys in lower case, with the values of the request. */
export type ConditionContext = Readonly<Record<string, readonly string[]>>

/** The verdict on a call, in IAM's three outcomes. */
export type Verdict = 'allowed' | 'explicitly denied' | 'not allowed'

/**
 * Judges one access by identity policies as IAM does: a matching Deny wins over everything, then a matching Allow,
 * else it is not allowed. A condition with an operator that is not known here makes an Allow miss and a Deny hit.
 */
export function judge(
  statements: readonly Statement[],
  wanted: RequestedAccess,
  context: ConditionContext = {},
): Verdict {
  const hits = statements.filter((statement) => speaksOf(statement, wanted))
  if (hits.some((statement) => statement.effect === 'Deny' && holds(statement, context, true))) {
    return 'explicitly denied'
  }
  const allowed = hits.some((statement) => statement.effect === 'Allow' && holds(statement, context, false))
  return allowed ? 'allowed' : 'not allowed'
}

function speaksOf(statement: Statement, { action, resource }: RequestedAccess): boolean {
  // Actions are compared without regard to case, resources with it.
  const action_ = statement.actions.some((pattern) => matchesPattern(pattern.toLowerCase(), action.toLowerCase()))
  const resource_ = statement.resources.some((pattern) => matchesPattern(pattern, resource))
  return action_ !== statement.exceptActions && resource_ !== statement.exceptResources
}

const wildcards = { anyText: '*', anyCharacter: '?' }

/** Returns whether a text matches a pattern in which `*` stands for any number of characters and `?` for one. */
export function matchesPattern(pattern: string, text: string): boolean {
  return matchesParts(pattern, text, wildcards)
}

type Test = (wanted: string, given: string) => boolean

const tests: Readonly<Record<string, Test>> = {
  StringEquals: (wanted, given) => wanted === given,
  StringEqualsIgnoreCase: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
  StringLike: matchesPattern,
  ArnEquals: matchesPattern,
  ArnLike: matchesPattern,
  Bool: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
}

/** Negated operators also hold when the request has no such key. */
const negated: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotLike: 'StringLike',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
}

function holds(statement: Statement, context: ConditionContext, ifUnknown: boolean): boolean {
  return Object.entries(statement.conditions).every(([operator, keys]) => {
    const optional = operator.endsWith('IfExists')
    const name = optional ? operator.slice(0, -'IfExists'.length) : operator
    const positive = negated[name]
    const test = tests[positive ?? name]
    if (test === undefined) return ifUnknown
    return Object.entries(keys).every(([key, wanted]) => {
      const given = context[key.toLowerCase()]
      if (given === undefined) return optional || positive !== undefined
      const found = given.some((value) => wanted.some((pattern) => test(pattern, value)))
      return positive === undefined ? found : !found
    })
  })
}
