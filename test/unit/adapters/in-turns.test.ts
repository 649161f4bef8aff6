import { describe, expect, test } from 'vitest'
import { type TogetherWork, inTurns } from '../../../adapters/in-turns.ts'
import { TimeLimitPassed, checkTimeLimit, withTimeLimit } from '../../../adapters/time-limit.ts'
import { DomainError } from '../../../core/errors.ts'
import { movableClock } from '../../support/movable-clock.ts'

/** Work that a test lets go on, call by call. */
function aLine(limit = 3) {
  const calls: { readonly key: string; readonly given: readonly string[] }[] = []
  const ends: { readonly resolve: () => void; readonly reject: (problem: Error) => void }[] = []
  const work: TogetherWork<string, string> = async (key, given) => {
    calls.push({ key, given })
    await new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))
    return new Map(given.map((each) => [each, `${each} done`]))
  }
  const ask = inTurns<string, string>({ limit, idOf: (given) => given.slice(0, 1) }, work)
  /** Waits until a call was made, and ends it. */
  const end = async (index: number, problem?: Error) => {
    while (ends[index] === undefined) await Promise.resolve()
    if (problem === undefined) ends[index].resolve()
    else ends[index].reject(problem)
  }
  return { ask, calls, end, given: () => calls.map(({ given }) => given.join(' ')) }
}

const refused = new DomainError('internal_error', 'refused')
const away = new DomainError('store_unavailable', 'away')

describe('work that many ask for at once', () => {
  test('is done together for those who ask together, up to the limit', async () => {
    const { ask, end, given } = aLine()
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((each) => ask('key', each)))

    for (const index of [0, 1]) await end(index)

    expect(await all).toEqual(['a done', 'b done', 'c done', 'd done', 'e done'])
    expect(given()).toEqual(['a b c', 'd e'])
  })

  test('of different keys is done side by side', async () => {
    const { ask, end, calls } = aLine()
    const all = Promise.all([ask('one', 'a'), ask('two', 'b')])

    await end(1)
    await end(0)
    await all

    expect(calls.map(({ key }) => key)).toEqual(['one', 'two'])
  })

  test('of one id is never done together', async () => {
    const { ask, end, given } = aLine()
    const all = Promise.all(['a1', 'a2', 'b1', 'a3'].map((each) => ask('key', each)))

    for (const index of [0, 1, 2]) await end(index)

    expect(await all).toEqual(['a1 done', 'a2 done', 'b1 done', 'a3 done'])
    expect(given()).toEqual(['a1 b1', 'a2', 'a3'])
  })

  test('fails for him alone whose turn it is; the others try for themselves', async () => {
    const { ask, end, given } = aLine()
    const all = Promise.allSettled(['a', 'b', 'c'].map((each) => ask('key', each)))

    await end(0, away)
    await end(1)

    expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual([
      away,
      'b done',
      'c done',
    ])
    expect(given()).toEqual(['a b c', 'b c'])
  })

  test('that is refused together is tried for each alone', async () => {
    const { ask, end, given } = aLine()
    const all = Promise.allSettled(['a', 'b', 'c'].map((each) => ask('key', each)))

    await end(0, refused)
    await end(1)
    await end(2, refused)
    await end(3)

    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(given()).toEqual(['a b c', 'a', 'b', 'c'])
  })

  test('is done within the time of him whose turn it is', async () => {
    const clock = movableClock()
    const ask = inTurns<string, string>({ limit: 3, idOf: (given) => given }, async (_key, given) => {
      checkTimeLimit()
      return new Map(given.map((each) => [each, `${each} done`]))
    })
    const late = withTimeLimit({ until: clock.now(), clock }, () => ask('key', 'a'))
    const inTime = withTimeLimit({ until: clock.now() + 1, clock }, () => ask('key', 'b'))

    await expect(late).rejects.toThrow(TimeLimitPassed)
    expect(await inTime).toBe('b done')
  })

  test('begins anew when nobody waited any more', async () => {
    const { ask, end } = aLine()
    const first = ask('key', 'a')
    await end(0)
    await first
    const second = ask('key', 'a')
    await end(1)

    expect(await second).toBe('a done')
  })
})
