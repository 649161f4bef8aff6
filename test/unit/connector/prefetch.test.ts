import { expect, test } from 'vitest'
import { prefetch } from '../../../connector/events/prefetch.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'
import { settle } from '../../support/processes/manual-time.ts'

/** Looks ahead for domains, whose stores answer when a test says so. */
function aLook() {
  const asked: string[] = []
  const waiting: PromiseWithResolvers<void>[] = []
  const ahead = prefetch({
    domainOf: (event) => event.header('Caller-Context') ?? '',
    load: (domain) => {
      if (domain === 'known') return undefined
      asked.push(domain)
      const loading = Promise.withResolvers<void>()
      waiting.push(loading)
      return loading.promise
    },
  })
  const look = (...domains: readonly string[]) => {
    for (const domain of domains) {
      ahead.look(anEngineEvent({ name: 'CHANNEL_ANSWER', headers: { 'Caller-Context': domain } }))
    }
  }
  return { ahead, asked, waiting, look }
}

test('several unknown domains are prefetched together, and known ones are not', () => {
  const { look, asked } = aLook()

  look('a', 'known', 'b', 'c')

  expect(asked).toEqual(['a', 'b', 'c'])
})

test('at most sixteen domains are prefetched at once', async () => {
  const { look, asked, waiting } = aLook()
  const names = Array.from({ length: 20 }, (_, index) => `${index}`)

  look(...names)
  expect(asked).toHaveLength(16)
  waiting[0]?.resolve()
  await settle()
  look('next', 'one more')

  expect(asked).toEqual([...names.slice(0, 16), 'next'])
})

test('after a failed prefetch nothing is prefetched until an event was handled', async () => {
  const { ahead, look, asked, waiting } = aLook()
  look('a')
  waiting[0]?.reject(new Error('gone'))
  await settle()

  look('b')
  expect(asked).toEqual(['a'])
  ahead.answered()
  look('b')

  expect(asked).toEqual(['a', 'b'])
})
