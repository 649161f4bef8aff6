/** The parts of a pattern that do not stand for themselves. */
export interface Wildcards<P> {
  /** Stands for any number of characters. */
  readonly anyText: P
  /** Stands for exactly one character. */
  readonly anyCharacter: P
}

/**
 * Returns whether a text matches a pattern, given as parts: wildcards, and characters that stand for themselves. A
 * string is a list of its UTF-16 code units. Takes time in proportion to the lengths of both, multiplied, at most.
 */
export function matchesParts<P>(
  pattern: ArrayLike<P | string>,
  text: ArrayLike<string>,
  { anyText, anyCharacter }: Wildcards<P>,
): boolean {
  let [at, from, star, mark] = [0, 0, -1, 0]
  while (from < text.length) {
    const part = pattern[at]
    if (at < pattern.length && part === anyText) {
      star = at
      mark = from
      at += 1
    } else if (at < pattern.length && (part === anyCharacter || part === text[from])) {
      at += 1
      from += 1
    } else if (star >= 0) {
      at = star + 1
      mark += 1
      from = mark
    } else return false
  }
  while (at < pattern.length && pattern[at] === anyText) at += 1
  return at === pattern.length
}
