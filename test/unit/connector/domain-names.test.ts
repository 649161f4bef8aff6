import { expect, test } from 'vitest'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { DomainError } from '../../../core/errors.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

/** A store of domains that counts how often it is read, and can be taken away. */
function aStore(...names: string[]) {
  const domains = new Set(names)
  return {
    domains,
    reads: 0,
    isGone: false,
    async exists(name: string): Promise<boolean> {
      this.reads += 1
      if (this.isGone) throw new DomainError('store_unavailable', 'the store is gone')
      return domains.has(name)
    },
  }
}

test('the existence of a known domain is read once a minute', async () => {
  const store = aStore('a.example.com')
  const clock = movableClock()
  const names = domainNames(store, clock)

  await names.exists('a.example.com')
  clock.move(59_999)
  expect(names.exists('a.example.com')).toBe(true)
  expect(store.reads).toBe(1)

  clock.move(1)
  await names.exists('a.example.com')
  expect(store.reads).toBe(2)
})

test('a new domain is recognised after two seconds', async () => {
  const store = aStore()
  const clock = movableClock()
  const names = domainNames(store, clock)
  expect(await names.exists('new.example.com')).toBe(false)
  store.domains.add('new.example.com')

  clock.move(1_999)
  expect(names.exists('new.example.com')).toBe(false)
  clock.move(1)
  expect(await names.exists('new.example.com')).toBe(true)
})

test('simultaneous questions for one domain name share one read', async () => {
  const store = aStore('a.example.com')
  const names = domainNames(store, movableClock())

  await Promise.all([names.exists('a.example.com'), names.exists('a.example.com')])

  expect(store.reads).toBe(1)
})

test('while the store is away, a known domain still exists, and an unknown one is an error', async () => {
  const store = aStore('a.example.com')
  const clock = movableClock()
  const names = domainNames(store, clock)
  await names.exists('a.example.com')
  clock.move(60_000)
  store.isGone = true

  await expect(names.exists('a.example.com')).resolves.toBe(true)
  await expect(names.exists('b.example.com')).rejects.toThrow(DomainError)
})

test('a deleted domain is forgotten within a minute', async () => {
  const store = aStore('a.example.com')
  const clock = movableClock()
  const names = domainNames(store, clock)
  await names.exists('a.example.com')
  store.domains.delete('a.example.com')

  clock.move(60_000)

  expect(await names.exists('a.example.com')).toBe(false)
})

test('questions for names that do not exist cannot evict a domain that does', async () => {
  const store = aStore('a.example.com')
  const names = domainNames(store, movableClock())
  await names.exists('a.example.com')

  for (let count = 0; count < 3_000; count += 1) await names.exists(`made-up-${count}.example.com`)

  expect(names.exists('a.example.com')).toBe(true)
})
