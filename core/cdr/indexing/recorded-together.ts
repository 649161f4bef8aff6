import type { RecordedLeg, RecordingStore } from '../../recordings/recording-store.ts'

/** A caller's legs, and the end of its question. */
interface Question {
  readonly legs: readonly RecordedLeg[]
  readonly end: (recorded: RecordedLeg[]) => void
  readonly fail: (problem: unknown) => void
}

/**
 * Returns the store's `listRecorded` for concurrent callers: legs that they ask about go to the store together, each once. `turn`
 * resolves when all callers have had the chance to ask.
 */
export function recordedTogether(
  store: Pick<RecordingStore, 'listRecorded'>,
  turn: () => Promise<void>,
): RecordingStore['listRecorded'] {
  let questions: Question[] = []

  const ask = async () => {
    await turn()
    const asked = questions
    questions = []
    try {
      const legs = new Map(asked.flatMap(({ legs }) => legs.map((leg) => [nameOf(leg), leg])))
      const recorded = await store.listRecorded([...legs.values()])
      const names = new Set(recorded.map(nameOf))
      for (const { legs: own, end } of asked) end(own.filter((leg) => names.has(nameOf(leg))))
    } catch (problem) {
      for (const { fail } of asked) fail(problem)
    }
  }

  return (legs) =>
    new Promise((end, fail) => {
      questions.push({ legs, end, fail })
      if (questions.length === 1) void ask()
    })
}

function nameOf({ domain, uuid }: RecordedLeg): string {
  return JSON.stringify([domain, uuid])
}
