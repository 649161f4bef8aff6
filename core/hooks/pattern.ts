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
  const { pattern, flags } = splitPattern(value)
  return compile(pattern, flags)
}

/** The two parts of `/pattern/flags`; any other text is a pattern without flags. */
export function splitPattern(value: string): { readonly pattern: string; readonly flags: string } {
  const [, pattern = value, flags = ''] = delimited.exec(value) ?? []
  return { pattern, flags }
}
