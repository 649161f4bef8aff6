import { invalidField } from '../errors.ts'
import type { Clock } from '../ports.ts'

/** Answers whether a text matches, in time linear in the text's length whatever the pattern. */
export type TextMatcher = (text: string) => boolean

/**
 * Compiles a regular expression for a matcher that runs in linear time. Flags are any of `g`, `i`, `m`, `y`. Answers
 * `undefined` for a pattern or flag that the matcher does not know.
 */
export type PatternCompiler = (pattern: string, flags: string) => TextMatcher | undefined

/** The longest pattern that a filter may hold. */
export const maxPatternLength = 256

/** How much of a value a pattern looks at, in UTF-16 units: values of the engine are shorter by far. */
const maxTextLength = 8192

const delimited = /^\/(.*)\/([a-z]*)$/su

/**
 * Reads a filter's pattern: `/pattern/flags`, or a bare pattern. `undefined` when it is longer than
 * {@link maxPatternLength} or does not compile. The matcher looks at the first {@link maxTextLength} of a text.
 */
export function readPattern(value: string, compile: PatternCompiler): TextMatcher | undefined {
  if (value.length > maxPatternLength) return undefined
  const { pattern, flags } = splitPattern(value)
  const matcher = compile(pattern, flags)
  return matcher && ((text) => matcher(text.slice(0, maxTextLength)))
}

/**
 * How long, in milliseconds, the patterns of all filters may take over one event. They hold up the whole process, which
 * may handle events of other tenants beside it.
 */
export const patternsMs = 1_000

/**
 * The same compiler, until its patterns have had their time (`until`, epoch milliseconds): what they are asked behind it
 * throws `invalid_field`.
 */
export function timed(compile: PatternCompiler, clock: Clock, until: number): PatternCompiler {
  const check = () => {
    if (clock.now() > until) throw invalidField('filter', 'its patterns take too long: make them simpler, or fewer')
  }
  return (pattern, flags) => {
    check()
    const matcher = compile(pattern, flags)
    return (
      matcher &&
      ((text) => {
        check()
        return matcher(text)
      })
    )
  }
}

/** The two parts of `/pattern/flags`; any other text is a pattern without flags. */
export function splitPattern(value: string): { readonly pattern: string; readonly flags: string } {
  const [, pattern = value, flags = ''] = delimited.exec(value) ?? []
  return { pattern, flags }
}
