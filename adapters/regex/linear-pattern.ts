import { RE2JS, RE2JSSyntaxException } from 're2js'
import type { PatternCompiler } from '../../core/requests/pattern.ts'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Rest } from '../../core/hooks/matching/matching.ts'

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

/** The most compiled patterns of hooks that are kept for all tenants together. */
export const maxKept = 500

interface Room<M> {
  readonly most: number
  readonly weigh: (pattern: M | undefined) => number
}

interface Share<M> {
  readonly patterns: Map<string, M | undefined>
  weight: number
}

/**
 * Compiled patterns by tenant. When they are too many, the tenant with the most gives up its least recently used ones,
 * so a tenant with more patterns than fit evicts its own and no other's.
 */
export class KeptPatterns<M extends { readonly compileSteps?: number | undefined }> {
  readonly #compile: (pattern: string, flags: string) => M | undefined
  readonly #room: Room<M>
  readonly #tenants = new Map<string, Share<M>>()
  #weight = 0

  constructor(
    compile: (pattern: string, flags: string) => M | undefined,
    room: Room<M> = { most: maxKept, weigh: () => 1 },
  ) {
    this.#compile = compile
    this.#room = room
  }

  take(tenant: string, pattern: string, flags: string): M | undefined {
    const own = this.#tenants.get(tenant) ?? { patterns: new Map<string, M | undefined>(), weight: 0 }
    const key = `${flags}/${pattern}`
    if (own.patterns.has(key)) {
      const kept = own.patterns.get(key)
      own.patterns.delete(key)
      own.patterns.set(key, kept)
      return kept
    }
    const compiled = this.#compile(pattern, flags)
    own.patterns.set(key, compiled && { ...compiled, compileSteps: undefined })
    this.#tenants.set(tenant, own)
    const weight = this.#room.weigh(compiled)
    own.weight += weight
    this.#weight += weight
    while (this.#weight > this.#room.most) this.#evict()
    return compiled
  }

  #evict(): void {
    const [first, ...others] = this.#tenants
    if (first === undefined) return
    const [tenant, share] = others.reduce((most, each) => (each[1].weight > most[1].weight ? each : most), first)
    const [[key, pattern] = ['', undefined]] = share.patterns
    share.patterns.delete(key)
    const weight = this.#room.weigh(pattern)
    share.weight -= weight
    this.#weight -= weight
    if (share.patterns.size === 0) this.#tenants.delete(tenant)
  }
}

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

/** The shortest rest and the longest one, in milliseconds. A slice of work takes 1 to 8 ms. */
const leastMs = 1
const mostMs = 8

/** The parts of the event loop that rests depend on. */
export interface RestLoop {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number
  /** Resolves when everything that is due has had its turn. */
  readonly turn: () => Promise<unknown>
  readonly wait: (ms: number) => Promise<unknown>
}

/**
 * Returns rests of one process. One caller continues at a time, after all earlier ones, and each rest takes as long as
 * the work before it, whosever that was: other work has half of the process for itself, however many events are matched
 * at once.
 */
export function patternRests({ now, turn, wait }: RestLoop): Rest {
  let last: Promise<void> = Promise.resolve()
  let endedAt = 0
  const restAfter = async (earlier: Promise<void>) => {
    await earlier
    // The earlier caller does its slice of work in this turn, and this rest begins after it.
    await turn()
    await wait(Math.min(Math.max(now() - endedAt, leastMs), mostMs))
    // Timers that are due may follow each other at once.
    await turn()
    endedAt = now()
  }
  return () => {
    last = restAfter(last)
    return last
  }
}

/** The rests of this process. */
export const patternRest: Rest = patternRests({ now: () => performance.now(), turn: setImmediate, wait: setTimeout })
