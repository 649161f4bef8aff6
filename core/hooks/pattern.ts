/** Answers whether a text matches, in time linear in the text's length whatever the pattern. */
export type TextMatcher = (text: string) => boolean

/**
 * Compiles a regular expression for a matcher that runs in linear time. Flags are any of `g`, `i`, `m`, `y`. Answers
 * `undefined` for a pattern or flag that the matcher does not know.
 */
export type PatternCompiler = (pattern: string, flags: string) => TextMatcher | undefined

/** The longest pattern that a filter may hold. */
export const maxPatternLength = 256

const delimited = /^\/(.*)\/([a-z]*)$/su

/**
 * Reads a filter's pattern: `/pattern/flags`, or a bare pattern. `undefined` when it is longer than
 * {@link maxPatternLength} or does not compile.
 */
export function readPattern(value: string, compile: PatternCompiler): TextMatcher | undefined {
  if (value.length > maxPatternLength) return undefined
  const parts = delimited.exec(value)
  return parts === null ? compile(value, '') : compile(parts[1] ?? '', parts[2] ?? '')
}
