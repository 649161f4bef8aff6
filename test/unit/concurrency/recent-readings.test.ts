import { expect, test } from 'vitest'
import { RecentReadings, freshMs } from '../../../core/concurrency/recent-readings.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const most = 1_000

/** Readings whose number is their answer, and the questions that were asked of the store. */
function aMemory(answer: (question: string) => unknown = () => undefined) {
  const clock = movableClock()
  const readings = new RecentReadings(clock, most)
  const asked: string[] = []
  const read = readings.keep(async (domain: string, name: string) => {
    asked.push(`${domain} ${name}`)
    return answer(name)
  })
  return { clock, readings, asked, read }
}

test('a reading serves for a second, and no longer', async () => {
  const { clock, asked, read } = aMemory()

  await read('a', 'x')
  clock.move(freshMs - 1)
  await read('a', 'x')
  expect(asked).toEqual(['a x'])
  clock.move(1)
  await read('a', 'x')

  expect(asked).toEqual(['a x', 'a x'])
})

test('what is not there is remembered, too', async () => {
  const { asked, read } = aMemory()

  expect([await read('a', 'x'), await read('a', 'x')]).toEqual([undefined, undefined])
  expect(asked).toEqual(['a x'])
})

test('calls that come while something is read share the reading', async () => {
  const { asked, read } = aMemory()

  await Promise.all(Array.from({ length: 50 }, () => read('a', 'x')))

  expect(asked).toEqual(['a x'])
})

test('two domains with the same names share nothing', async () => {
  const { asked, read } = aMemory()

  for (const [domain, name] of [
    ['a', 'x'],
    ['ax', ''],
    ['a', 'x'],
    ['b', 'x'],
  ] as const) {
    await read(domain, name)
  }

  expect(asked).toEqual(['a x', 'ax ', 'b x'])
})

test('a reading that fails is not kept', async () => {
  let fails = true
  const { asked, read } = aMemory(() => {
    if (fails) throw new Error('no answer')
    return 'found'
  })

  await expect(read('a', 'x')).rejects.toThrow('no answer')
  fails = false

  expect(await read('a', 'x')).toBe('found')
  expect(asked).toHaveLength(2)
})

test('a clock that is set back makes no reading last longer', async () => {
  const { clock, asked, read } = aMemory()

  await read('a', 'x')
  clock.move(-60_000)
  await read('a', 'x')

  expect(asked).toHaveLength(2)
})

test('the oldest readings are dropped when all together are too large, and maps count with what they hold', async () => {
  const { asked, read } = aMemory((name) => new Map([[name, 'x'.repeat(most * 0.6)]]))

  for (const name of ['1', '2', '2', '1']) await read('a', name)

  expect(asked).toEqual(['a 1', 'a 2', 'a 1'])
})

test('only the readings of one domain are forgotten, and only those that had begun', async () => {
  const { readings, asked, read } = aMemory()
  await read('a', 'old')
  await read('b', 'old')
  const { begun } = readings
  await read('a', 'new')

  expect([readings.forget('a', begun), readings.forget('a', begun)]).toEqual([true, false])
  for (const domain of ['a', 'b']) for (const name of ['old', 'new']) await read(domain, name)

  expect(asked.slice(3)).toEqual(['a old', 'b new'])
})
