import { isJsonObject } from './json.ts'
import { type GrammarRules, checkGrammar } from './step-grammar.ts'
import { type SetNameRules, checkSetNames } from './set-names.ts'
import { scriptKinds } from './step-kinds.ts'
import { hasControls } from '../requests/safe-text.ts'

/** Kinds whose texts go to a mailbox or a web server, and may have several lines. */
const manyLined: ReadonlySet<string> = new Set(['sendEmail', 'httpRequest'])

/** Kinds whose texts can be dial strings, where braces and brackets set variables. */
const dialKinds: ReadonlySet<string> = new Set(['bridge', 'originate'])

/** A lookup of the engine: a variable by its name, or a part of its value (`${name:1:3}`). */
const lookUp = /\$\{[A-Za-z0-9_.-]{1,64}(?::-?\d{1,4}){0,2}\}/g

/** The rules for a step. */
export type StepRules = SetNameRules & GrammarRules

/**
 * Checks the argument of a step, of any form: texts that may reach the engine hold no control characters, texts that
 * are no program look up variables alone, variables that it sets have names and values that clients may set, and
 * nothing that it names is outside the route's domain.
 */
export function checkArgument(kind: string, argument: unknown, at: string, rules: StepRules): void {
  if (argument === null || argument === undefined) return rules.refuse(at, 'must not be null')
  // In a program `${` has a meaning of its own.
  if (!scriptKinds.has(kind)) checkTexts(argument, at, (text, place) => checkText(kind, text, place, rules))
  checkSetNames(kind, argument, at, rules)
  checkGrammar(kind, argument, at, rules)
}

function checkTexts(value: unknown, at: string, check: (text: string, at: string) => void): void {
  if (typeof value === 'string') {
    check(value, at)
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => checkTexts(item, `${at}[${index}]`, check))
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      check(name, at)
      checkTexts(member, `${at}.${name.slice(0, 64)}`, check)
    }
  }
}

/** `${system(…)}` would run a command, and `{api_on_answer=…}` in front of an end point would, too. */
function checkText(kind: string, text: string, at: string, { refuse }: StepRules): void {
  if (!manyLined.has(kind) && hasControls(text)) return refuse(at, 'must not contain control characters')
  const rest = text.includes('$$') ? text : text.replaceAll(lookUp, '')
  if (rest.includes('${'))
    return refuse(at, 'must not contain "${" but to look up a variable, as in ${caller_id_number}')
  if (dialKinds.has(kind) && /[{}[\]<>]/.test(rest)) {
    refuse(at, 'must not contain {}[]<>: use the variables or parameters of the endpoint instead')
  }
}
