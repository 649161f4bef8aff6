import { expect, it } from 'vitest'
import { ReportedSources, mostSources, reportEveryMs } from '../../../core/dialplan/reported-sources.ts'

it('a source is reported once in its interval', () => {
  const sources = new ReportedSources()

  expect([0, 1, reportEveryMs - 1].map((now) => sources.isDue('192.0.2.7', now))).toEqual([true, false, false])
  expect(sources.isDue('192.0.2.8', 1)).toBe(true)
  expect(sources.isDue('192.0.2.7', reportEveryMs)).toBe(true)
})

it('a limited number of sources is remembered, and a further one is reported when the first interval has ended', () => {
  const sources = new ReportedSources()
  const reported = Array.from({ length: mostSources + 5 }, (_, at) => sources.isDue(`source ${at}`, at))

  expect(reported.filter(Boolean)).toHaveLength(mostSources)
  expect(sources.isDue('further', reportEveryMs - 1)).toBe(false)
  expect(sources.isDue('further', reportEveryMs)).toBe(true)
  expect(sources.isDue('another', reportEveryMs)).toBe(false)
})
