import type { Hook } from '../definition/hook.ts'
import { promptness } from './receiver-speed.ts'

const remembered = 1_000

/** So many events of a domain in one batch mean that the domain has a backlog: a full batch. */
const backlogFrom = 10

/**
 * A receiver that takes longer gets nothing directly while its domain has a backlog: each lane of a domain waits for
 * the answers before it goes on, and the queue makes more attempts at a time. With this a domain still gets 40 events
 * each 150 ms, and an attempt through the queue costs eight calls more.
 */
export const quickMs = 100

/** After this time a receiver gets another full batch directly, since nothing else shows that it has become quicker. */
export const paceLifeMs = 5_000

interface Pace {
  readonly durationMs: number
  /** When that was, epoch milliseconds. */
  readonly notedAt: number
  /** When it was late, epoch milliseconds. */
  readonly lateAt: number | undefined
}

/**
 * Decides which receivers get first attempts straight from dispatch: those that are noted as prompt on the hook. A
 * process also remembers what it saw itself, since its reading of the hook may be older than a note.
 */
export class PromptReceivers {
  readonly #paces = new Map<string, Pace>()

  includes(hook: Hook, events: number, now: number): boolean {
    if (hook.promptAt === undefined || hook.slowAt !== undefined) return false
    const pace = this.#paces.get(keyOf(hook))
    if (pace === undefined) return true
    if (isRecent(pace.lateAt, now)) return false
    return events < backlogFrom || pace.durationMs < quickMs || now - pace.notedAt >= paceLifeMs
  }

  /** Remembers how long an attempt took. Returns whether that was late, and not known yet. */
  note(hook: Hook, durationMs: number, now: number): boolean {
    const key = keyOf(hook)
    const { lateAt } = this.#paces.get(key) ?? {}
    const isLate = durationMs >= promptness.lostFromMs
    this.#paces.delete(key)
    this.#paces.set(key, { durationMs, notedAt: now, lateAt: isLate ? now : lateAt })
    const [oldest] = this.#paces.keys()
    if (this.#paces.size > remembered && oldest !== undefined) this.#paces.delete(oldest)
    return isLate && !isRecent(lateAt, now)
  }
}

function isRecent(lateAt: number | undefined, now: number): boolean {
  return lateAt !== undefined && now - lateAt < promptness.regainedMs
}

function keyOf({ domain, id }: Hook): string {
  return `${domain}/${id}`
}
