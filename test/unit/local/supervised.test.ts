import { type MockInstance, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PlainError } from '../../../packages/laptop/processes/plain-error.ts'
import { type Run, Supervised } from '../../../packages/laptop/processes/supervised.ts'

let printed: MockInstance<typeof console.error>
let running: Supervised<Run> | undefined

beforeEach(() => {
  vi.useFakeTimers()
  printed = vi.spyOn(console, 'error').mockImplementation(() => {})
})

afterEach(() => {
  running?.release()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A program under supervision: its runs, the signals that it got, and why the platform ended. */
function aProgram(
  given: { readonly ask?: () => Promise<unknown>; readonly start?: () => void; readonly isOptional?: boolean } = {},
) {
  const runs: { end(how: string): void }[] = []
  const signals: string[] = []
  const failures: PlainError[] = []
  const start = (): Run => {
    given.start?.()
    const ended = Promise.withResolvers<string>()
    const number = runs.push({ end: ended.resolve })
    const signal = (name: string) => {
      signals.push(`${number} ${name}`)
      if (name === 'SIGKILL') ended.resolve(name)
    }
    return { ended: ended.promise, signal }
  }
  const fail = (problem: PlainError) => void failures.push(problem)
  const { ask, isOptional = false } = given
  running = new Supervised({ name: 'the store', logFile: '/data/logs/store.log', start, ask, isOptional, fail })
  return { runs, signals, failures, supervised: running }
}

const lines = () => printed.mock.calls.map(([line]) => String(line))

describe('a program that ends', () => {
  it('a supervised program that ends is started again, later each time, with a line that says how it ended', async () => {
    const { runs } = aProgram()

    runs[0]?.end('SIGKILL')
    await vi.advanceTimersByTimeAsync(249)
    expect(runs).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    runs[1]?.end('code 1')
    await vi.advanceTimersByTimeAsync(500)

    expect(runs).toHaveLength(3)
    expect(lines()).toEqual([
      'the store ended (SIGKILL) and starts again in 250 ms',
      'the store ended (code 1) and starts again in 500 ms',
    ])
  })

  it('a supervised program that ended long ago is started again at once', async () => {
    const { runs } = aProgram()
    runs[0]?.end('SIGKILL')
    await vi.advanceTimersByTimeAsync(61_000)

    runs[1]?.end('SIGKILL')
    await vi.advanceTimersByTimeAsync(250)

    expect(runs).toHaveLength(3)
  })

  it('a supervised program that ends ten times within a minute ends the platform with a sentence', async () => {
    const { runs, failures } = aProgram()

    for (let ends = 0; ends < 10; ends += 1) {
      expect(failures).toEqual([])
      runs[ends]?.end('code 1')
      await vi.advanceTimersByTimeAsync(5_000)
    }
    await vi.advanceTimersByTimeAsync(60_000)

    expect(runs).toHaveLength(10)
    expect(failures.map(({ message }) => message)).toEqual([
      'the store ended 10 times within a minute (code 1): see /data/logs/store.log',
    ])
  })

  it('a supervised program that the platform can do without is started again however often it ends', async () => {
    const { runs, failures } = aProgram({ isOptional: true })

    for (let ends = 0; ends < 20; ends += 1) {
      runs[ends]?.end('code 1')
      await vi.advanceTimersByTimeAsync(5_000)
    }

    expect([runs.length, failures]).toEqual([21, []])
  })

  it('a supervised program that cannot be started now is tried again', async () => {
    let problem: Error | undefined
    const start = () => {
      if (problem !== undefined) throw problem
    }
    const { runs } = aProgram({ start })
    problem = new Error('spawn EMFILE')

    runs[0]?.end('SIGKILL')
    await vi.advanceTimersByTimeAsync(250)
    expect(lines().at(-1)).toBe('the store ended (Error: spawn EMFILE) and starts again in 500 ms')
    problem = undefined
    await vi.advanceTimersByTimeAsync(500)

    expect(runs).toHaveLength(2)
  })

  it('a supervised program that is released is not started again', async () => {
    const { runs, supervised } = aProgram()
    const waiting = aProgram()
    waiting.runs[0]?.end('SIGKILL')
    await vi.advanceTimersByTimeAsync(0)

    expect([supervised.release(), waiting.supervised.release()]).toEqual([expect.anything(), undefined])
    runs[0]?.end('code 0')
    await vi.advanceTimersByTimeAsync(60_000)

    expect([runs.length, waiting.runs.length]).toEqual([1, 1])
  })
})

describe('a program that does not answer', () => {
  it('a supervised program that leaves questions unanswered is killed and started again', async () => {
    let isHung = false
    const { runs, signals } = aProgram({ ask: async () => (isHung ? new Promise(() => {}) : undefined) })
    await vi.advanceTimersByTimeAsync(5_000)
    isHung = true
    signals.length = 0

    await vi.advanceTimersByTimeAsync(34_999)
    expect(signals).toEqual(Array.from({ length: 6 }, () => '1 SIGCONT'))
    await vi.advanceTimersByTimeAsync(251)

    expect(signals.at(-1)).toBe('1 SIGKILL')
    expect(runs).toHaveLength(2)
    expect(lines()).toEqual(['the store ended (SIGKILL, since it did not answer) and starts again in 250 ms'])
  })

  it('a supervised program that has not answered yet has a minute to begin', async () => {
    const { signals } = aProgram({ ask: () => new Promise(() => {}) })

    await vi.advanceTimersByTimeAsync(64_999)
    expect(signals).not.toContain('1 SIGKILL')
    await vi.advanceTimersByTimeAsync(1)

    expect(signals).toContain('1 SIGKILL')
  })

  it('a supervised program that answers now and then is never killed', async () => {
    let asked = 0
    const ask = async () => {
      asked += 1
      if (asked % 6 !== 0) throw new Error('busy')
    }
    const { runs, signals } = aProgram({ ask })

    await vi.advanceTimersByTimeAsync(300_000)

    expect(runs).toHaveLength(1)
    expect(signals).not.toContain('1 SIGKILL')
  })

  it('a late answer of a run that has ended says nothing of the next one', async () => {
    const answers: PromiseWithResolvers<void>[] = []
    const ask = () => {
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      return answer.promise
    }
    const { runs, signals } = aProgram({ ask })
    await vi.advanceTimersByTimeAsync(5_000)

    runs[0]?.end('SIGKILL')
    await vi.advanceTimersByTimeAsync(60_000)
    answers[0]?.resolve()
    await vi.advanceTimersByTimeAsync(5_000)

    expect(signals.at(-1)).toBe('2 SIGKILL')
  })

  it('a supervised program that is continued at each look, in case somebody stopped it', async () => {
    const { signals } = aProgram()

    await vi.advanceTimersByTimeAsync(10_000)

    expect(signals).toEqual(['1 SIGCONT', '1 SIGCONT'])
  })
})
