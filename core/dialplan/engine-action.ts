/** One application of the engine with its data, as a dial plan names it. */
export interface EngineAction {
  readonly application: string
  readonly data: string
}

/** A variable that a step sets; without a value it is removed. */
export interface Assignment {
  /** The legs that get it: the caller's, both, or the called ones alone. */
  readonly legs: 'own' | 'all' | 'called'
  readonly name: string
  readonly value: string
}

/** A step, or a part of one, that cannot become applications of the engine. `at` is the part: `.timer`, or empty. */
export class StepProblem extends Error {
  readonly at: string

  constructor(problem: string, at = '') {
    super(problem)
    this.name = 'StepProblem'
    this.at = at
  }
}

/** Data of the call and its route, which a step needs in addition to its argument. */
export interface StepContext {
  readonly domain: string
  /**
   * Replaces the lookups of a name (`$1`, `${destination_number}`, `${caller_id_number}`) by values of the call. Throws
   * {@link StepProblem} for a value with other characters than `A-Z a-z 0-9 + * # . _ -`.
   */
  readonly fill: (text: string) => string
  /**
   * Returns the variables of a leg that is called through a gateway of the domain; `undefined` for one that is missing
   * or disabled. Absent while a route is only checked.
   */
  readonly through?: ((gateway: string) => readonly Assignment[] | undefined) | undefined
  /** Whether steps may follow in the call: an unanswered bridge then goes on instead of ending the call. */
  readonly goesOn: boolean
}
