import { RE2JS } from 're2js'
import * as z from 'zod/mini'
import type { ClientVariables } from '../core/client-names/client-names.ts'

/** All environment variables of a function have 4 KB together. */
const maxCharacters = 2_000

const setting = z.record(
  z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/)),
  z.union([z.string(), z.strictObject({ pattern: z.string(), force: z.optional(z.boolean()) })]),
)

const shape =
  'must be a JSON object of up to 2000 characters: names of variables to patterns, or to {"pattern": …, "force": true}'

/** The service sets these itself and derives the owner of a call from them, so no client may set them. */
const ofService =
  /^(?:__proto__|account_role|dialed_domain|dialed_user|domain_name|domain_uuid|presence_id|user_context|user_name|user_scheme|origination_uuid|originating_leg_uuid|variable_.*|svc.*|w_.*)$/i

/**
 * Reads the operator's setting `clientVariables`: names of channel variables that clients may set in addition to the
 * closed lists, each with a pattern that the whole value must match. Patterns have RE2 syntax and match in linear time.
 * A name that the engine reads (`isEngineName`) needs `force: true`. Empty text adds none. Throws an error whose
 * message says what is wrong, to be read after the setting's name.
 */
export function readClientVariables(text: string, isEngineName = (_name: string) => false): ClientVariables {
  if (text === '') return new Map()
  const given = Object.entries(parse(text))
  return new Map(
    given.map(([name, value]) => {
      const { pattern, force = false } = typeof value === 'string' ? { pattern: value } : value
      if (ofService.test(name)) throw new Error(`must not hold ${name}, which the service sets itself`)
      if (/^x[_-]/.test(name))
        throw new Error(`must not hold ${name}: every client may set names that begin with x_ or x-`)
      if (!force && isEngineName(name)) {
        throw new Error(
          `must not hold ${name} without "force": true: the engine reads this variable and may give its value a meaning`,
        )
      }
      return [name, matcherOf(name, pattern)]
    }),
  )
}

function parse(text: string): z.infer<typeof setting> {
  if (text.length > maxCharacters) throw new Error(shape)
  try {
    return setting.parse(JSON.parse(text))
  } catch {
    // The error of the parser repeats the text.
    throw new Error(shape)
  }
}

function matcherOf(name: string, pattern: string): (value: string) => boolean {
  try {
    const matcher = RE2JS.compile(pattern)
    return (value) => matcher.matches(value)
  } catch {
    throw new Error(`must hold regular expressions that match in linear time, and that of ${name} is none`)
  }
}
