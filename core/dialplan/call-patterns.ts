import { type Rest, patternWork } from '../hooks/matching/matching.ts'
import { lookedAt } from '../requests/pattern.ts'
import type { PatternFinder } from './evaluate-expression.ts'

/** A compiled pattern of a route. */
export interface RoutePattern {
  /** How large it is when compiled: matching a text takes at most as many steps as this times the text's length. */
  readonly size: number
  /** The cost of compiling it just now, in steps of matching; absent if it was kept from an earlier match. */
  readonly compileSteps?: number | undefined
  finds(text: string): boolean
  /** Returns its groups if it matches the whole text, the text itself first; a group that took no part is empty. */
  captures(text: string): readonly string[] | undefined
}

/** Compiles a route's pattern; `undefined` if it does not compile. Keeps the result in the share of `tenant`. */
export type RoutePatternCompiler = (pattern: string, flags: string, tenant: string) => RoutePattern | undefined

/** The dependencies of {@link CallPatterns}. */
export interface CallPatternDeps {
  readonly compile: RoutePatternCompiler
  readonly rest: Rest
}

/** The patterns of a call's routes are more work than a call may make. */
export class TooMuchPatternWork extends Error {
  override readonly name = 'TooMuchPatternWork'
}

/**
 * The most steps for one call, or one simulation: 0.7 s for the slowest patterns. A thousand routes with ordinary
 * patterns take a tenth of that, and a fifth while they are compiled.
 */
const mostSteps = 30_000_000

type Answer = readonly string[] | boolean | undefined

/**
 * Matches the patterns of one call's routes. The work is limited, and the process does other work after each slice of
 * it. Answers are kept for the call, so an evaluation that begins again costs nothing.
 */
export class CallPatterns {
  readonly #deps: CallPatternDeps
  readonly #answers = new Map<string, Map<string, Answer>>()
  readonly #most: number
  #spent = 0
  #restedAt = 0
  #isCut = false

  constructor(deps: CallPatternDeps, most = mostSteps) {
    this.#deps = deps
    this.#most = most
  }

  /** Returns the groups of a pattern that matches the whole text. Throws {@link TooMuchPatternWork}. */
  async captures(tenant: string, pattern: string, flags: string, text: string): Promise<readonly string[] | undefined> {
    const key = `captures ${flags}/${pattern}`
    const known = this.#answers.get(key)
    if (known?.has(text) !== true) {
      await this.#restIfDue()
      const compiled = this.#compile(tenant, pattern, flags)
      await this.#restIfDue()
      if (compiled !== undefined) this.#spend(compiled.size * (text.length + 1))
      this.#keep(key, text, compiled?.captures(text))
    }
    const answer = this.#answers.get(key)?.get(text)
    return Array.isArray(answer) ? answer : undefined
  }

  /**
   * Returns what finds patterns in texts, for an evaluation without pauses. Once a slice of work is done, it finds
   * nothing any more: the evaluation is void and begins again after {@link restIfCut}. Throws
   * {@link TooMuchPatternWork}.
   */
  finder(tenant: string): PatternFinder {
    return (pattern, flags, text) => {
      const key = `finds ${flags}/${pattern}`
      const known = this.#answers.get(key)?.get(text)
      if (known !== undefined) return known === true
      if (this.#isCut || this.#isRestDue()) {
        this.#isCut = true
        return false
      }
      const compiled = this.#compile(tenant, pattern, flags)
      const seen = compiled === undefined ? '' : lookedAt(text, compiled.size)
      if (compiled !== undefined) this.#spend(compiled.size * (seen.length + 1))
      const isFound = compiled?.finds(seen) ?? false
      this.#keep(key, text, isFound)
      return isFound
    }
  }

  async restIfCut(): Promise<boolean> {
    if (!this.#isCut) return false
    await this.#rest()
    this.#isCut = false
    return true
  }

  #keep(key: string, text: string, answer: Answer): void {
    const texts = this.#answers.get(key) ?? new Map<string, Answer>()
    this.#answers.set(key, texts.set(text, answer))
  }

  #compile(tenant: string, pattern: string, flags: string): RoutePattern | undefined {
    this.#spend(patternWork.base)
    const compiled = this.#deps.compile(pattern, flags, tenant)
    this.#spend(compiled === undefined ? patternWork.refused : (compiled.compileSteps ?? 0))
    return compiled
  }

  #spend(steps: number): void {
    if (this.#spent >= this.#most) throw new TooMuchPatternWork('the patterns of the routes are too much work')
    this.#spent += steps
  }

  #isRestDue(): boolean {
    return this.#spent - this.#restedAt >= patternWork.slice
  }

  async #restIfDue(): Promise<void> {
    if (this.#isRestDue()) await this.#rest()
  }

  async #rest(): Promise<void> {
    this.#restedAt = this.#spent
    await this.#deps.rest()
  }
}
