import { RE2JS } from 're2js'
import type { RoutePattern, RoutePatternCompiler } from '../../core/dialplan/call-patterns.ts'
import { KeptPatterns, compileStepsOf, modeOf } from './linear-pattern.ts'

/**
 * The most parts of compiled patterns that are kept, at some 200 bytes each. A pattern counts as so many more, so there
 * is room for 1 600 ordinary ones.
 */
const kept = new KeptPatterns(compile, { most: 200_000, weigh: (pattern) => 100 + (pattern?.size ?? 0) })

/**
 * Compiles a pattern of a route with RE2 syntax, which takes time linear in the text. Flag `i` ignores case, `m` makes
 * `^` and `$` match at lines, `y` finds only at the start of the text; `g` changes nothing.
 */
export const routePattern: RoutePatternCompiler = (pattern, flags, tenant) => kept.take(tenant, pattern, flags)

function compile(pattern: string, flags: string): RoutePattern | undefined {
  try {
    const compiled = RE2JS.compile(pattern, modeOf(flags))
    const size = compiled.programSize()
    return {
      size,
      compileSteps: compileStepsOf(pattern, flags, size),
      finds: (text) => (flags.includes('y') ? compiled.matcher(text).lookingAt() : compiled.matcher(text).find()),
      captures(text) {
        const matcher = compiled.matcher(text)
        if (!matcher.matches()) return undefined
        return Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? '')
      },
    }
  } catch {
    return undefined
  }
}
