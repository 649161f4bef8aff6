import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { transactWrite } from './client.ts'
import { type FailedPart, isContention, numberOf, pause, transactedOnce } from './errors.ts'
import { type Head, endTurn, isOthersTurn, readHead, takeTurn } from './event-log-head.ts'
import { type Unnumbered, numberingParts } from './event-log-parts.ts'

/** How often it is tried, or looked whose turn it is: together about 25 s. */
const attempts = 300

/** Waits before the second try and before each further one, shortened at random, so that all have the same chance. */
const firstWaitMs = 20
const waitMs = 150

/**
 * Gives events of one domain its next numbers, in their order; one that has a number already keeps it. Numbers, events
 * and head are written in one transaction, on the condition that nobody else wrote first: a number without its event
 * cannot come to be, nor be read before those below it. Who finds that somebody else was first takes a turn, for which
 * the others wait. Turns decide nothing about what is written; they save many from writing in vain. Throws
 * `store_unavailable` when it was somebody else's turn every time.
 */
export async function numberEvents(
  context: AdapterContext,
  domain: string,
  events: readonly Unnumbered[],
): Promise<ReadonlyMap<Unnumbered, number>> {
  const turn = context.random.uuid()
  const numbers = new Map<Unnumbered, number>()
  let left = events
  let hasTurn = false
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (attempt > 0) await pause((attempt === 1 ? firstWaitMs : waitMs) * Math.random())
      const head = await (attempt > 0 ? takeTurn(context, domain, turn) : readHead(context, domain))
      if (head === undefined || isOthersTurn(context, head, turn)) continue
      hasTurn = attempt > 0
      const failed = await write(context, domain, left, head)
      for (const [index, each] of left.entries()) {
        const number = failed === undefined ? head.sequence + 1 + index : numberOf(failed[index]?.stored, 'sequence')
        if (number !== undefined) numbers.set(each, number)
      }
      // What was written has ended the turn.
      if (failed === undefined) hasTurn = false
      left = left.filter((each) => !numbers.has(each))
      if (left.length === 0) return numbers
    }
  } finally {
    if (hasTurn) await endTurn(context, domain, turn)
  }
  throw new DomainError('store_unavailable', 'too many events of the domain are being numbered at once')
}

/** Answers nothing when it was done; otherwise the parts, in order, as far as they were looked at. */
async function write(
  context: AdapterContext,
  domain: string,
  events: readonly Unnumbered[],
  head: Head,
): Promise<readonly FailedPart[] | undefined> {
  try {
    return await transactedOnce(() => transactWrite(context, numberingParts(context, domain, events, head)))
  } catch (problem) {
    if (isContention(problem)) return []
    throw problem
  }
}
