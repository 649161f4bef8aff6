import { expect, test } from 'vitest'
import { KeptPatterns, linearPattern, maxKept } from '../../../adapters/regex/linear-pattern.ts'
import { limitedPatterns, matches } from '../../../core/hooks/matching/matching.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

/** A cache that notes which patterns it compiled. */
function aCache() {
  const compiled: string[] = []
  const cache = new KeptPatterns((pattern) => {
    compiled.push(pattern)
    return { size: 10, compileSteps: 1_000, matches: () => true }
  })
  return { cache, compiled }
}

test('a tenant with more patterns than may be cached evicts its own and none of another tenant', () => {
  const { cache, compiled } = aCache()
  for (let at = 0; at < 20; at += 1) cache.take('quiet', `quiet${at}`, '')

  for (let at = 0; at < 3 * maxKept; at += 1) cache.take('busy', `busy${at}`, '')
  compiled.length = 0
  for (let at = 0; at < 20; at += 1) cache.take('quiet', `quiet${at}`, '')

  expect(compiled).toEqual([])
})

test('the least recently used pattern of a tenant is evicted', () => {
  const { cache, compiled } = aCache()
  for (let at = 0; at < maxKept; at += 1) cache.take('a', `p${at}`, '')
  cache.take('a', 'p0', '')

  cache.take('a', 'one more', '')
  compiled.length = 0
  cache.take('a', 'p0', '')
  cache.take('a', 'p1', '')

  expect(compiled).toEqual(['p1'])
})

test('two tenants with the same pattern each have their own in the cache', () => {
  const { cache, compiled } = aCache()

  for (const tenant of ['a', 'b', 'a', 'b']) cache.take(tenant, 'same', '')

  expect(compiled).toEqual(['same', 'same'])
})

test('the compilation cost of a pattern is reported only if it was compiled', () => {
  const { cache } = aCache()

  const costs = [1, 2, 3].map(() => cache.take('a', 'p', '')?.compileSteps)

  expect(costs).toEqual([1_000, undefined, undefined])
})

test('patterns that are compiled for every event use up the work of the event, and cached patterns do not', async () => {
  const compile = (isKept: boolean) => () => ({
    size: 1,
    compileSteps: isKept ? undefined : 17_000,
    matches: () => true,
  })
  const judged = async (isKept: boolean) => {
    const work = limitedPatterns(compile(isKept), async () => {}, 1_000_000)
    for (let at = 0; at < 100 && !work.isSpent(); at += 1) work.compile(`p${at}`, '')
    return work.isSpent()
  }

  expect([await judged(true), await judged(false)]).toEqual([false, true])
})

test('the process does other work after compiling patterns, even if they match at once', async () => {
  let rests = 0
  const expensive = () => ({ size: 1, compileSteps: 20_000, matches: () => true })
  const work = limitedPatterns(
    expensive,
    async () => {
      rests += 1
    },
    4_000_000,
  )
  const filter = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`f${at}`, { operation: 'reg' as const, value: `p${at}` }]),
  )
  const fields = Object.fromEntries(Object.keys(filter).map((name) => [name, 'x']))

  await matches(aHook({ filter }), anEvent({ fields }), work)

  expect(rests).toBeGreaterThanOrEqual(5)
})

test('a large pattern and one with character classes cost more to compile than a small one', () => {
  const cost = (pattern: string, flags = '') => linearPattern(pattern, flags, 'costs')?.compileSteps ?? 0

  expect(cost('^abc$')).toBeLessThan(2_000)
  expect(cost('(a?){50}a{50}b')).toBeGreaterThan(10_000)
  expect(cost('\\p{L}', 'i')).toBeGreaterThan(cost('\\p{L}') + 10_000)
})
