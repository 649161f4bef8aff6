import { DomainError } from '../core/errors.ts'

/** What a caller waits for. */
interface Entry<T, R> {
  readonly given: T
  result: { readonly value: R } | undefined
  /** Whether it is done by itself: together with others it was refused. */
  isAlone: boolean
}

/** The callers of one key. */
interface Line<T, R> {
  readonly waiting: Entry<T, R>[]
  /** Ends when nobody of the line is at work any more. */
  turn: Promise<unknown>
}

/** What is done for several callers together: answers what each of them gets. Failing, it fails for all of them. */
export type TogetherWork<T, R> = (key: string, given: readonly T[]) => Promise<ReadonlyMap<T, R>>

/**
 * Does for callers of one key, one after another, what they ask for at once: whoever's turn it is has it done for
 * himself and those who wait behind him, `limit` together at most, of which no two have the same id. Work that fails,
 * fails for him alone whose turn it is; the others try for themselves. What is refused together (`internal_error`) is
 * tried for each alone. Each caller's own time limit holds for the work of his turn.
 */
export function inTurns<T, R>(
  { limit, idOf }: { readonly limit: number; readonly idOf: (given: T) => string },
  work: TogetherWork<T, R>,
): (key: string, given: T) => Promise<R> {
  const lines = new Map<string, Line<T, R>>()

  const lead = async (key: string, waiting: Entry<T, R>[], first: Entry<T, R>): Promise<R> => {
    const taken = takeDistinct(waiting, first.isAlone ? 1 : limit, ({ given }) => idOf(given))
    const all = taken.map(({ given }) => given)
    try {
      const results = await work(key, all)
      for (const entry of taken) settle(entry, results)
      return valueOf(first)
    } catch (problem) {
      const isRefused = problem instanceof DomainError && problem.code === 'internal_error'
      if (isRefused && taken.length > 1) {
        for (const entry of taken) entry.isAlone = true
        waiting.unshift(...taken)
        return lead(key, waiting, first)
      }
      waiting.unshift(...taken.slice(1))
      throw problem
    }
  }

  return (key, given) => {
    const line: Line<T, R> = lines.get(key) ?? { waiting: [], turn: Promise.resolve() }
    lines.set(key, line)
    const entry: Entry<T, R> = { given, result: undefined, isAlone: false }
    line.waiting.push(entry)
    // Whoever stood before has what he wanted by then, or has failed: the one whose turn it is stands first.
    const mine = line.turn.then(() => (entry.result === undefined ? lead(key, line.waiting, entry) : valueOf(entry)))
    const leave = () => {
      if (line.turn === turn) lines.delete(key)
    }
    const turn = mine.then(leave, leave)
    line.turn = turn
    return mine
  }
}

/** Takes the first of a list, and of those behind it one of each other id. */
function takeDistinct<E>(list: E[], limit: number, idOf: (entry: E) => string): E[] {
  const taken = new Map<string, E>()
  const left: E[] = []
  for (const entry of list) {
    if (taken.size < limit && !taken.has(idOf(entry))) taken.set(idOf(entry), entry)
    else left.push(entry)
  }
  list.splice(0, list.length, ...left)
  return [...taken.values()]
}

function settle<T, R>(entry: Entry<T, R>, results: ReadonlyMap<T, R>): void {
  const value = results.get(entry.given)
  if (value !== undefined) entry.result = { value }
}

function valueOf<R>({ result }: Pick<Entry<unknown, R>, 'result'>): R {
  if (result === undefined) throw new TypeError('work that is done together has no result for one of its callers')
  return result.value
}
