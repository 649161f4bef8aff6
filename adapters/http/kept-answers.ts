/** Seconds for which the addresses of a name are kept, and how long it is kept that a name has none. */
export const keptSeconds = { addresses: 60, none: 10 } as const

/** Names whose answers are kept; a further one takes the place of the oldest. */
export const mostNames = 1_000

/** Finds the addresses of a name; without any, it has none or they cannot be found. Never rejects. */
export type AddressLookup = (host: string) => Promise<readonly string[]>

interface KeptAnswer {
  answer: Promise<readonly string[]>
  endMs: number
}

/**
 * Keeps the answers of a lookup, so that a caller that asks for one name again and again costs one query in ten seconds. Questions about a
 * name that is being looked up share its query. `nowMs` never goes back.
 */
export function keptAnswers(lookUp: AddressLookup, nowMs: () => number): AddressLookup {
  const kept = new Map<string, KeptAnswer>()
  /** The time of an answer begins when it comes. */
  const answered = async (entry: KeptAnswer) => {
    const found = await entry.answer
    entry.endMs = nowMs() + 1000 * (found.length > 0 ? keptSeconds.addresses : keptSeconds.none)
    return found
  }
  return (host) => {
    const name = host.toLowerCase()
    const known = kept.get(name)
    if (known !== undefined && nowMs() < known.endMs) return known.answer
    kept.delete(name)
    for (const oldest of kept.keys()) {
      if (kept.size < mostNames) break
      kept.delete(oldest)
    }
    const entry = { answer: lookUp(name), endMs: Number.POSITIVE_INFINITY }
    entry.answer = answered(entry)
    kept.set(name, entry)
    return entry.answer
  }
}
