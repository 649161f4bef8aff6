/** A compiled pattern. */
export interface TextMatcher {
  /** How large it is when compiled: matching a text takes at most as many steps as this times the text's length. */
  readonly size: number
  /** The cost of compiling it just now, in steps of matching; absent if it was kept from an earlier match. */
  readonly compileSteps?: number | undefined
  /** Answers whether a text matches, in time linear in the text's length whatever the pattern. */
  matches(text: string): boolean
}

/**
 * Compiles a regular expression for a matcher that runs in linear time. Flags are any of `g`, `i`, `m`, `y`. Returns
 * `undefined` for a pattern or flag that the matcher does not know. What is compiled is kept in the share of `tenant`.
 */
export type PatternCompiler = (pattern: string, flags: string, tenant?: string) => TextMatcher | undefined

/** The longest pattern that a filter may hold. */
export const maxPatternLength = 256

/** How much of a value a pattern looks at, in UTF-16 units: values of the engine are shorter by far. */
const maxTextLength = 8192

/**
 * The most steps of one match: at 16 to 25 ns each for slow patterns, 5 to 8 ms in which a process does nothing else. A
 * pattern of size 36 reaches it at {@link maxTextLength}, one of the greatest size (600) at 500 characters.
 */
const maxSteps = 300_000

const delimited = /^\/(.*)\/([a-z]*)$/su

/**
 * Reads a filter's pattern: `/pattern/flags`, or a bare pattern. `undefined` when it is longer than
 * {@link maxPatternLength} or does not compile. The matcher looks at the beginning of a text: at {@link maxTextLength},
 * or at as much as it can match in {@link maxSteps}.
 */
export function readPattern(value: string, compile: PatternCompiler): Pick<TextMatcher, 'matches'> | undefined {
  if (value.length > maxPatternLength) return undefined
  const { pattern, flags } = splitPattern(value)
  const matcher = compile(pattern, flags)
  if (matcher === undefined) return undefined
  return { matches: (text) => matcher.matches(lookedAt(text, matcher.size)) }
}

/** Returns the beginning of a text that a pattern of a size looks at. */
export function lookedAt(text: string, size: number): string {
  return text.slice(0, Math.min(maxTextLength, Math.floor(maxSteps / size)))
}

/** Returns the two parts of `/pattern/flags`; any other text is a pattern without flags. */
export function splitPattern(value: string): { readonly pattern: string; readonly flags: string } {
  const [, pattern = value, flags = ''] = delimited.exec(value) ?? []
  return { pattern, flags }
}

/**
 * Says what keeps a regular expression from being compiled for a matcher that runs in linear time, and where;
 * `undefined` for one that can be. Flags are any of `g`, `i`, `m`, `y`.
 */
export type PatternJudge = (pattern: string, flags: string) => string | undefined
