import { DomainError } from '../../core/errors.ts'

/** DynamoDB takes 25 writes in a call. */
const writesTogether = 25

/** Calls to the store at a time. */
const parallelCalls = 4

/** How a connector checks what its peer should have stored. */
export const peerChecks = {
  /** A change is looked for in the store this many milliseconds after it was heard: the peer has stored it by then. */
  afterMs: 2_000,
  /** Milliseconds between checks, while there is something to check. */
  lookMs: 1_000,
  /** DynamoDB reads 100 items in a call. */
  together: 100,
} as const

/**
 * Runs `work` on chunks of items, several at a time, and returns the items that failed. If the store refuses a chunk as
 * such, each of its items is tried alone, so that an item which cannot be stored delays no other.
 */
export async function failedOf<T>(
  items: readonly T[],
  work: (chunk: readonly T[]) => Promise<void>,
  together: number = writesTogether,
): Promise<T[]> {
  const chunks = chunksOf(items, together)
  const failed: T[] = []
  const workOn = async () => {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      const problem = await problemOf(work, chunk)
      if (problem === undefined) continue
      if (chunk.length > 1 && isRefusal(problem)) chunks.push(...chunksOf(chunk, 1))
      else failed.push(...chunk)
    }
  }
  await Promise.all(Array.from({ length: parallelCalls }, workOn))
  return failed
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

async function problemOf<T>(work: (chunk: readonly T[]) => Promise<void>, chunk: readonly T[]): Promise<unknown> {
  try {
    await work(chunk)
    return undefined
  } catch (problem) {
    return problem ?? new Error('failed without a reason')
  }
}

/** Whether the store answered that it will not have this. */
function isRefusal(problem: unknown): boolean {
  return problem instanceof DomainError && problem.code === 'internal_error'
}
