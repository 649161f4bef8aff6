import { refused } from './refusal.ts'

/** Limits the size of a search, over all of its parts. */
export interface SearchBudget {
  /** Counts clauses. Throws `query_refused` above 100. */
  count(clauses: number, at: string): void
  /** Throws `query_refused` beyond 8 levels, including its own. `depth` is 0 at the outermost. */
  checkDepth(depth: number, at: string): void
}

const [maxClauses, maxDepth] = [100, 8]

/** Returns an unused budget. */
export function searchBudget(): SearchBudget {
  let used = 0
  return {
    count(clauses, at) {
      used += clauses
      if (used > maxClauses) throw refused(at, `a search has at most ${maxClauses} clauses`)
    },
    checkDepth(depth, at) {
      if (depth >= maxDepth) throw refused(at, `clauses stand in each other at most ${maxDepth} deep`)
    },
  }
}
