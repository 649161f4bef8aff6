/** Longer texts are not compared, since the work grows with the square of their length. */
const longest = 128

/**
 * Returns the candidate that a mistyped text most likely means, whatever its case: at most a third of its characters,
 * and at most three, are missing, too many, different or swapped. Nothing if no candidate is that near.
 */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > longest) return undefined
  let [best, least] = [undefined as string | undefined, Math.min(3, Math.floor(text.length / 3)) + 1]
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= least) continue
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase())
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best
}

/** Returns `; did you mean <candidate>?` for {@link nearest}, and nothing where there is none. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const found = nearest(text, candidates)
  return found === undefined || found === text ? '' : `; did you mean ${found}?`
}

/** Optimal string alignment: insertions, deletions, substitutions, and swaps of two neighbours. */
function editDistance(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const differs = one[row - 1] === other[column - 1] ? 0 : 1
      const swaps = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + differs,
          swaps ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    ;[before, last] = [last, next]
  }
  return last[other.length] ?? 0
}
