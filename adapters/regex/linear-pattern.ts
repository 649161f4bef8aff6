import { RE2JS } from 're2js'
import type { PatternCompiler } from '../../core/hooks/pattern.ts'

/** The most compiled patterns that are kept; a hook's pattern is asked for with every event of its domain. */
const maxKept = 500

const kept = new Map<string, ReturnType<PatternCompiler>>()

/**
 * Compiles with RE2 syntax: no back references, no look-around, time linear in the text. Flag `i` ignores case, `m`
 * makes `^` and `$` match at lines, `y` wants the match at the start of the text; `g` changes nothing for a test.
 */
export const linearPattern: PatternCompiler = (pattern, flags) => {
  const key = `${flags}/${pattern}`
  if (kept.has(key)) return kept.get(key)
  const compiled = compile(pattern, flags)
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, compiled)
  return compiled
}

function compile(pattern: string, flags: string): ReturnType<PatternCompiler> {
  if (!/^[gimy]*$/.test(flags)) return undefined
  const mode = (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('m') ? RE2JS.MULTILINE : 0)
  try {
    const matcher = RE2JS.compile(pattern, mode)
    return flags.includes('y') ? (text) => matcher.matcher(text).lookingAt() : (text) => matcher.matcher(text).find()
  } catch {
    return undefined
  }
}
