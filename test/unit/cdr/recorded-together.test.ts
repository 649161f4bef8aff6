import { expect, test } from 'vitest'
import { coalescedListRecorded } from '../../../core/cdr/indexing/coalesced-stores.ts'
import type { RecordedLeg } from '../../../core/recordings/recording-store.ts'
import { settle } from '../../support/processes/manual-time.ts'

const leg = (uuid: string) => ({ domain: 'a.example.com', uuid })

/** A store in which one leg was recorded. */
function aStore() {
  const asked: string[][] = []
  return {
    asked,
    listRecorded: async (legs: readonly RecordedLeg[]) => {
      asked.push(legs.map(({ uuid }) => uuid))
      return legs.filter(({ uuid }) => uuid === 'recorded')
    },
  }
}

test('legs of concurrent callers are looked up together, and each caller gets its own', async () => {
  const store = aStore()
  const together = coalescedListRecorded(store, { turn: settle, most: 10 })

  const answers = await Promise.all(['one', 'recorded', 'two', 'recorded'].map((uuid) => together([leg(uuid)])))

  expect(answers).toEqual([[], [leg('recorded')], [], [leg('recorded')]])
  expect(store.asked).toEqual([['one', 'recorded', 'two']])
})

test('a failed lookup fails all callers that share it, and later callers ask again', async () => {
  const store = aStore()
  let isGone = true
  const together = coalescedListRecorded(
    { listRecorded: async (legs) => (isGone ? Promise.reject(new Error('gone')) : store.listRecorded(legs)) },
    { turn: settle, most: 10 },
  )
  const first = await Promise.allSettled([together([leg('one')]), together([leg('two')])])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])

  isGone = false

  expect(await together([leg('recorded')])).toEqual([leg('recorded')])
})
