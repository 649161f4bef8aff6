import { invalidField } from '../../core/errors.ts'
import type { PatternCompiler, PatternJudge } from '../../core/requests/pattern.ts'
import { linearPattern, linearPatternProblem } from './linear-pattern.ts'

/**
 * The most steps of compiling for what one request writes, some 100 ms in which the process does nothing else: 600
 * different ordinary patterns, or 28 of the largest.
 */
const mostSteps = 4_000_000

const leastSteps = 5_000

/** The cost of a pattern that is refused: most that are refused are too large, and were compiled. */
const refusedSteps = 140_000

const reason = 'the patterns of one request are too much work: make them simpler, or fewer'

/** Returns a judge of patterns for one request. Judges equal patterns once, and refuses more than {@link mostSteps}. */
export function patternJudge(): PatternJudge {
  const judged = new Map<string, string | undefined>()
  let spent = 0
  return (pattern, flags) => {
    const key = `${flags}/${pattern}`
    if (judged.has(key)) return judged.get(key)
    if (spent >= mostSteps) return reason
    const { problem, steps } = linearPatternProblem(pattern, flags)
    spent += leastSteps + steps
    judged.set(key, problem)
    return problem
  }
}

/** Returns a compiler of patterns for one request, which throws `invalid_field` after {@link mostSteps}. */
export function writtenPattern(): PatternCompiler {
  const refused = new Set<string>()
  let spent = 0
  return (pattern, flags, tenant) => {
    const key = `${flags}/${pattern}`
    if (refused.has(key)) return undefined
    if (spent >= mostSteps) throw invalidField('filter', reason)
    const matcher = linearPattern(pattern, flags, tenant)
    const { compileSteps } = matcher ?? { compileSteps: refusedSteps }
    if (compileSteps !== undefined) spent += leastSteps + compileSteps
    if (matcher === undefined) refused.add(key)
    return matcher
  }
}
