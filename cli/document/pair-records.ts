/** Records of two states that have no names. */
export interface Pairing<T> {
  readonly pairs: readonly (readonly [T, T])[]
  readonly removed: readonly T[]
  readonly added: readonly T[]
}

/**
 * Pairs records that have no names: first equal ones, then by each key in turn those whose key is the same. What has no
 * partner was removed or added. The first key is that of equality. A key that is `null` pairs nothing.
 */
export function pairRecords<T>(
  before: readonly T[],
  after: readonly T[],
  keys: readonly ((record: T) => string | null)[],
): Pairing<T> {
  let left = [...before]
  let right = [...after]
  const pairs: (readonly [T, T])[] = []
  for (const keyOf of keys) {
    const waiting = new Map<string, T[]>()
    for (const record of left) {
      const key = keyOf(record)
      if (key !== null) waiting.set(key, [...(waiting.get(key) ?? []), record])
    }
    const taken = new Set<T>()
    right = right.filter((record) => {
      const partner = waiting.get(keyOf(record) ?? '\n')?.shift()
      if (partner === undefined) return true
      pairs.push([partner, record])
      taken.add(partner)
      return false
    })
    left = left.filter((record) => !taken.has(record))
  }
  return { pairs, removed: left, added: right }
}
