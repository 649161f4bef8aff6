import { RE2JS, RE2JSSyntaxException } from 're2js'
import type { PatternCompiler } from '../../core/hooks/pattern.ts'
import type { PatternJudge } from '../../core/routes/pattern-judge.ts'

/** The most compiled patterns that are kept; a hook's pattern is asked for with every event of its domain. */
const maxKept = 500

/**
 * The greatest size of a compiled pattern. Time is linear in text times size: a counted repetition makes a short pattern
 * thousands of times as slow, while one of 256 characters without any stays below 300.
 */
const maxSize = 600

/**
 * The most classes such as `\p{L}` or `\PN` in a pattern: each is a table of hundreds of ranges that is built when the
 * pattern is compiled, and kept as long as the pattern is.
 */
const maxClasses = 8

const kept = new Map<string, ReturnType<PatternCompiler>>()

/**
 * Compiles with RE2 syntax: no back references, no look-around, time linear in the text. Flag `i` ignores case, `m`
 * makes `^` and `$` match at lines, `y` wants the match at the start of the text; `g` changes nothing for a test. Refuses
 * what is larger than {@link maxSize} when compiled, or has more than {@link maxClasses} classes.
 */
export const linearPattern: PatternCompiler = (pattern, flags) => {
  const key = `${flags}/${pattern}`
  const compiled = kept.has(key) ? kept.get(key) : compile(pattern, flags)
  // Evicts the least recently used pattern. All tenants share the cache, so one with more patterns than fit evicts the rest.
  kept.delete(key)
  kept.set(key, compiled)
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  return compiled
}

/**
 * What {@link linearPattern} cannot take of a pattern, and where; `undefined` for one that it takes. Nothing is kept: a
 * pattern is judged when it is written, and that is rare.
 */
export const linearPatternProblem: PatternJudge = (pattern, flags) => {
  if (!/^[gimy]*$/.test(flags)) return `unknown flags "${flags}": there are g, i, m and y`
  try {
    RE2JS.compile(pattern, modeOf(flags))
    return undefined
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) return 'too large a pattern'
    const part = error.getPattern() ?? ''
    const at = part === '' ? -1 : pattern.indexOf(part)
    return `${error.getDescription()}${at < 0 ? '' : `, at character ${at + 1}`}`
  }
}

function modeOf(flags: string): number {
  return (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('m') ? RE2JS.MULTILINE : 0)
}

function compile(pattern: string, flags: string): ReturnType<PatternCompiler> {
  if (!/^[gimy]*$/.test(flags)) return undefined
  try {
    if ((pattern.match(/\\p/gi) ?? []).length > maxClasses) return undefined
    const compiled = RE2JS.compile(pattern, modeOf(flags))
    const size = compiled.programSize()
    if (size > maxSize) return undefined
    return {
      size,
      matches: (text) => (flags.includes('y') ? compiled.matcher(text).lookingAt() : compiled.matcher(text).find()),
    }
  } catch {
    return undefined
  }
}
