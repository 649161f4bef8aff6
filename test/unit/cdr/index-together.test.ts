import { expect, test } from 'vitest'
import type { CdrPart } from '../../../core/cdr/cdr.ts'
import type { RefusedPart } from '../../../core/cdr/cdr-store.ts'
import { coalescedIndex } from '../../../core/cdr/indexing/coalesced-stores.ts'

const aPart = (uuid: string): CdrPart => ({
  source: 'event',
  cdr: { uuid, domain_name: 'a.example.com', leg: 'a', created_time: 1, variables: {} },
})

/** A store whose calls are ended by the test. */
function aStore() {
  const calls: {
    readonly uuids: string[]
    end: (refused?: readonly RefusedPart[]) => void
    fail: (problem: Error) => void
  }[] = []
  const index = (parts: readonly CdrPart[]) =>
    new Promise<readonly RefusedPart[]>((end, fail) => {
      calls.push({ uuids: parts.map(({ cdr }) => cdr.uuid), end: (refused = []) => end(refused), fail })
    })
  let go = () => {}
  const turn = () => new Promise<void>((resolve) => (go = resolve))
  return { calls, together: coalescedIndex({ index }, { turn, most: 10 }), go: () => go() }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('CDR parts that are offered together are written together, and parts offered meanwhile go with the next write', async () => {
  const { calls, together, go } = aStore()
  const first = [together([aPart('1')]), together([aPart('2'), aPart('3')])]
  expect(calls).toEqual([])

  go()
  await settle()
  const later = [together([aPart('4')]), together([aPart('5')])]
  calls[0]?.end()
  await settle()
  go()
  await settle()
  calls[1]?.end()

  expect(await Promise.all([...first, ...later])).toEqual([[], [], [], []])
  expect(calls.map(({ uuids }) => uuids)).toEqual([
    ['1', '2', '3'],
    ['4', '5'],
  ])
})

test('each caller gets its own refused CDR parts, even if two callers offer the same leg', async () => {
  const { calls, together, go } = aStore()
  const [good, bad, again] = [aPart('1'), aPart('2'), aPart('2')]
  const ends = [together([good]), together([bad]), together([again])]
  go()
  await settle()

  calls[0]?.end([{ part: bad, reason: 'no' }])

  expect(await Promise.all(ends)).toEqual([[], [{ part: bad, reason: 'no' }], []])
})

test('a failed write fails every caller whose CDR parts it had, and no other', async () => {
  const { calls, together, go } = aStore()
  const failing = [together([aPart('1')]), together([aPart('2')])].map((end) => end.catch(({ message }) => message))
  go()
  await settle()
  const next = together([aPart('3')])

  calls[0]?.fail(new Error('away'))
  await settle()
  go()
  await settle()
  calls[1]?.end()

  expect(await Promise.all([...failing, next])).toEqual(['away', 'away', []])
})
