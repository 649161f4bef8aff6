import { expect, test } from 'vitest'
import { keptCharacters, recentHooks } from '../../../core/hooks/definition/recent-hooks.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { aHook } from '../../support/records/records.ts'

/** Readings of domains that have one hook each, and the domains that were read from the store. */
function readings(hookOf: (domain: string) => Partial<Hook>) {
  const read: string[] = []
  const list = async (domain: string) => {
    read.push(domain)
    return [aHook({ domain, ...hookOf(domain) })]
  }
  const hooksFor = recentHooks({ list }, movableClock())
  return { read, hooksFor: (domain: string) => hooksFor(domain, ['CHANNEL_CREATE']) }
}

const half = 'x'.repeat(keptCharacters / 2)

test('cached hooks of one domain evict the oldest ones of another if both together are too large', async () => {
  const { read, hooksFor } = readings(() => ({ rawBody: half }))

  for (const domain of ['a', 'b', 'b', 'a']) await hooksFor(domain)

  expect(read).toEqual(['a', 'b', 'a'])
})

test('the small hooks of a thousand domains are all cached', async () => {
  const { read, hooksFor } = readings(() => ({}))
  const domains = Array.from({ length: 1_000 }, (_, index) => `${index}`)

  for (const domain of [...domains, ...domains]) await hooksFor(domain)

  expect(read).toEqual(domains)
})

test('a domain whose hooks alone are too large for the cache is still read only once a second', async () => {
  const { read, hooksFor } = readings(() => ({ rawBody: half + half }))

  for (const domain of ['a', 'a']) await hooksFor(domain)

  expect(read).toEqual(['a'])
})
