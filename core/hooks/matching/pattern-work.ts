import { invalidField } from '../../errors.ts'
import type { PatternCompiler } from '../../requests/pattern.ts'

/**
 * The limits of pattern work, in steps: a step is one part of a compiled pattern at one character, 16 to 25 ns for slow
 * patterns.
 */
export const patternWork = {
  /** For all filters of a domain over one event: 100 ms for the slowest patterns. */
  event: 4_000_000,
  /** After so many steps the process does other work first. */
  slice: 50_000,
  /** The cost of each match besides its steps and the compilation: looking the pattern up and preparing the match. */
  base: 1_000,
  /** The cost of a pattern that cannot be compiled. It was refused when its hook was written, so there are few. */
  refused: 5_000,
} as const

/** Lets the process do other work, of other tenants as well; resolves when it is the caller's turn again. */
export type Rest = () => Promise<void>

/** The work of patterns over one event, or for one request. */
export interface PatternWork {
  /** The same compiler, while there are steps left; then it, and the matchers that it made, throw `invalid_field`. */
  readonly compile: PatternCompiler
  readonly isSpent: () => boolean
  /** Rests when enough work has been done since the last time. To be called between two filters. */
  readonly pause: () => Promise<void>
}

/**
 * Limits the work of patterns. It counts steps and no time, so that a busy machine judges as an idle one does, and no
 * event of a tenant with ordinary patterns fails because others kept the processor.
 */
export function limitedPatterns(compile: PatternCompiler, rest: Rest, limit: number): PatternWork {
  let spent = 0
  let restedAt = 0
  const spend = (steps: number) => {
    if (spent >= limit) throw invalidField('filter', 'its patterns are too much work: make them simpler, or fewer')
    spent += steps
  }
  return {
    compile: (pattern, flags, tenant) => {
      spend(patternWork.base)
      const matcher = compile(pattern, flags, tenant)
      spent += matcher === undefined ? patternWork.refused : (matcher.compileSteps ?? 0)
      if (matcher === undefined) return undefined
      const { size } = matcher
      const matches = (text: string) => {
        spend(size * (text.length + 1))
        return matcher.matches(text)
      }
      return { ...matcher, matches }
    },
    isSpent: () => spent >= limit,
    pause: async () => {
      if (spent - restedAt < patternWork.slice) return
      restedAt = spent
      await rest()
    },
  }
}
