/** Reproducible identifiers: the same seed gives the same sequence. Not for secrets. */
export interface SeededRandom {
  /** A UUID v4 in lower case. */
  uuid(): string
  /** Lower-case hex digits. */
  hex(digits: number): string
  /** A whole number, both ends included. */
  integer(least: number, most: number): number
}

/** Returns a generator that starts from `seed` (mulberry32, whose period of 2^32 is plenty for a laptop's calls). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('')
  return {
    hex,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    uuid: () => {
      const variant = 8 + Math.floor(next() * 4)
      return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant.toString(16)}${hex(3)}-${hex(12)}`
    },
  }
}
