import { invalidField } from '../errors.ts'
import { isJsonObject } from './json.ts'
import { checkSetNames } from './set-names.ts'

/** Kinds whose texts go to a mailbox, a web server or a program, and not into a line for the engine. */
const manyLined: ReadonlySet<string> = new Set(['sendEmail', 'httpRequest', 'js', 'script'])

// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const controls = /[\u0000-\u001f\u007f]/

/**
 * Checks the argument of a step, of any form: texts that may reach the engine hold no control characters, and variables
 * that it sets have names that clients may set. Throws `invalid_field` with the place.
 */
export function checkArgument(kind: string, argument: unknown, at: string): void {
  if (argument === null || argument === undefined) throw invalidField(at, 'must not be null')
  if (!manyLined.has(kind)) checkTexts(argument, at)
  checkSetNames(kind, argument, at)
}

function checkTexts(value: unknown, at: string): void {
  if (typeof value === 'string') {
    if (controls.test(value)) throw invalidField(at, 'must not contain control characters')
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => checkTexts(item, `${at}[${index}]`))
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      checkTexts(name, at)
      checkTexts(member, `${at}.${name.slice(0, 64)}`)
    }
  }
}
