import type { FoundAddresses } from './guarded-lookup.ts'

/**
 * Seconds for which the addresses of a name are kept, how long it is kept that a name has none, and how long an answer
 * that is not whole.
 */
export const keptSeconds = { addresses: 60, none: 10, partial: 1 } as const

/** Names whose answers are kept; a further one takes the place of the oldest. */
export const mostNames = 1_000

interface KeptAnswer {
  answer: Promise<readonly string[]>
  endMs: number
  known: readonly string[]
}

/**
 * Keeps the answers of a lookup that never rejects, so that a caller that asks for one name again and again costs a
 * query a second at most, and one in ten seconds where the name servers answer. Questions about a name that is being
 * looked up share its query. While the name servers do not answer, the addresses that were known before count as well.
 * `nowMs` never goes back.
 */
export function keptAnswers(
  lookUp: (host: string) => Promise<FoundAddresses>,
  nowMs: () => number,
): (host: string) => Promise<readonly string[]> {
  const kept = new Map<string, KeptAnswer>()
  /** The time of an answer begins when it comes. */
  const answered = async (entry: KeptAnswer, looking: Promise<FoundAddresses>) => {
    const { addresses, isWhole } = await looking
    const seconds = addresses.length > 0 ? keptSeconds.addresses : keptSeconds.none
    entry.endMs = nowMs() + 1000 * (isWhole ? seconds : keptSeconds.partial)
    if (!isWhole) return [...new Set([...entry.known, ...addresses])]
    entry.known = addresses
    return addresses
  }
  return (host) => {
    const name = host.toLowerCase()
    const before = kept.get(name)
    if (before !== undefined && nowMs() < before.endMs) return before.answer
    kept.delete(name)
    for (const oldest of kept.keys()) {
      if (kept.size < mostNames) break
      kept.delete(oldest)
    }
    const entry: KeptAnswer = {
      answer: Promise.resolve([]),
      endMs: Number.POSITIVE_INFINITY,
      known: before?.known ?? [],
    }
    entry.answer = answered(entry, lookUp(name))
    kept.set(name, entry)
    return entry.answer
  }
}
