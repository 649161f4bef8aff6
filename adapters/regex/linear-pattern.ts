import { RE2JS, RE2JSSyntaxException } from 're2js'
import type { PatternCompiler } from '../../core/requests/pattern.ts'
import { KeptPatterns } from './kept-patterns.ts'

/**
 * The greatest size of a compiled pattern. Time is linear in text times size: a counted repetition makes a short
 * pattern thousands of times as slow, while one of 256 characters without any stays below 300.
 */
const maxSize = 600

/**
 * The most classes such as `\p{L}` or `\PN` in a pattern: each is a table of hundreds of ranges that is built when the
 * pattern is compiled, and kept as long as the pattern is.
 */
const maxClasses = 8

/** Patterns of hooks: one is asked for with every event of its domain. */
const kept = new KeptPatterns(compile)

/**
 * Compiles with RE2 syntax: no back references, no look-around, time linear in the text. Flag `i` ignores case, `m`
 * makes `^` and `$` match at lines, `y` anchors the match at the start of the text; `g` changes nothing for a test.
 * Refuses patterns that compile to more than {@link maxSize}, or have more than {@link maxClasses} classes.
 */
export const linearPattern: PatternCompiler = (pattern, flags, tenant = '') => kept.take(tenant, pattern, flags)

interface JudgedPattern {
  readonly problem: string | undefined
  readonly steps: number
}

/** Judges a pattern that is written. Nothing is cached. */
export function linearPatternProblem(pattern: string, flags: string): JudgedPattern {
  if (!/^[gimy]*$/.test(flags)) return { problem: `unknown flags "${flags}": there are g, i, m and y`, steps: 0 }
  try {
    const size = RE2JS.compile(pattern, modeOf(flags)).programSize()
    return { problem: undefined, steps: compileStepsOf(pattern, flags, size) }
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) return { problem: 'too large a pattern', steps: 0 }
    const part = error.getPattern() ?? ''
    const at = part === '' ? -1 : pattern.indexOf(part)
    return { problem: `${error.getDescription()}${at < 0 ? '' : `, at character ${at + 1}`}`, steps: 0 }
  }
}

/** Returns the mode of the library for flags. */
export function modeOf(flags: string): number {
  return (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('m') ? RE2JS.MULTILINE : 0)
}

/**
 * The cost of compiling in steps of matching, as measured: 70 for each part, and for each class of characters such as
 * `\p{L}` 5 000, or 25 000 if case is ignored.
 */
const compileSteps = { part: 70, class: 5_000, foldedClass: 25_000 } as const

/** Returns the cost of compiling a pattern, in steps of matching. */
export function compileStepsOf(pattern: string, flags: string, size: number): number {
  const isFolded = flags.includes('i') || pattern.includes('(?')
  return size * compileSteps.part + classesOf(pattern) * (isFolded ? compileSteps.foldedClass : compileSteps.class)
}

function classesOf(pattern: string): number {
  return (pattern.match(/\\p/gi) ?? []).length
}

function compile(pattern: string, flags: string): ReturnType<PatternCompiler> {
  if (!/^[gimy]*$/.test(flags)) return undefined
  try {
    if (classesOf(pattern) > maxClasses) return undefined
    const compiled = RE2JS.compile(pattern, modeOf(flags))
    const size = compiled.programSize()
    if (size > maxSize) return undefined
    return {
      size,
      compileSteps: compileStepsOf(pattern, flags, size),
      matches: (text) => (flags.includes('y') ? compiled.matcher(text).lookingAt() : compiled.matcher(text).find()),
    }
  } catch {
    return undefined
  }
}
