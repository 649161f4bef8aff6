import { randomInt, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Cdr, CdrPart, CdrSource } from '../../core/cdr/cdr.ts'
import type { CdrStore, RemovalPlan } from '../../core/cdr/cdr-store.ts'
import type { Clause, SearchPlan } from '../../core/cdr/search-plan.ts'
import { aCdr, aPlan, callTime } from '../support/records/cdrs.ts'
import { opened } from '../support/processes/opened.ts'
import { cdrAggregationContract } from './cdr-aggregations.contract.ts'
import { cdrConditionContract } from './cdr-conditions.contract.ts'

/** A CDR store under test. Its records may be shared with other tests: those use domains of their own. */
export interface OpenCdrStore {
  readonly store: CdrStore
  /** Waits until what was written is found by searches. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** A domain for one test, with what tests do most. */
export interface CdrBench {
  readonly domain: string
  readonly store: CdrStore
  readonly settle: () => Promise<void>
  /** Writes CDRs of the domain and waits until they are found. */
  readonly keep: (cdrs: readonly Partial<Cdr>[], source?: CdrSource) => Promise<void>
  /** The uuids that a search of the domain finds, in order. */
  readonly uuids: (plan?: Partial<SearchPlan>) => Promise<string[]>
}

/** A limit that no search of these tests comes near to. */
const limitMs = 60_000
const day = 86_400_000

/** The contract of every {@link CdrStore}. */
export function cdrStoreContract(open: () => Promise<OpenCdrStore>): void {
  const stores = opened(open)
  let domains = 0
  const bench = (): CdrBench => {
    const domain = `cdr-${(domains += 1)}-${randomUUID()}.example.com`
    const { store } = stores()
    const settle = () => stores().settle()
    return {
      domain,
      store,
      settle,
      async keep(cdrs, source = 'event') {
        const parts = cdrs.map((given) => ({ source, cdr: aCdr({ domain_name: domain, ...given }) }))
        expect(await store.index(parts)).toEqual([])
        await settle()
      },
      async uuids(plan) {
        const answer = await store.search(aPlan({ domain, ...plan }), limitMs)
        return answer.hits.map((hit) => hit.cdr.uuid)
      },
    }
  }

  describe('writing', () => writing(bench))
  describe('scope', () => scope(bench))
  describe('removal', () => removal(bench))
  describe('clauses', () => cdrConditionContract(bench))
  describe('order and pages', () => pages(bench))
  describe('aggregations', () => cdrAggregationContract(bench))
}

function removal(bench: () => CdrBench): void {
  const all: RemovalPlan = { legs: ['a', 'b'], from: 0, to: Date.now() + day, query: { kind: 'all' } }

  test('CDRs of a domain are removed up to a moment, others stay, and a repetition removes nothing', async () => {
    const [{ domain, keep, store, uuids }, other] = [bench(), bench()]
    await keep([
      { uuid: 'old', created_time: callTime - 40 * day },
      { uuid: 'old b', leg: 'b', created_time: callTime - 40 * day },
      { uuid: 'young' },
    ])
    await other.keep([{ uuid: 'old', created_time: callTime - 40 * day }])
    const expired = { ...all, domain, to: callTime - 30 * day }

    expect(await store.remove(expired, 10)).toBe(2)
    expect(await store.remove(expired, 10)).toBe(0)
    expect(await uuids()).toEqual(['young'])
    expect(await other.uuids()).toEqual(['old'])
  })

  test('no more CDRs are removed than asked for', async () => {
    const { domain, keep, store, uuids } = bench()
    await keep([{}, {}, {}])

    expect(await store.remove({ ...all, domain }, 2)).toBe(2)
    expect(await uuids()).toHaveLength(1)
  })

  test('a CDR that was written a moment ago is removed, too', async () => {
    const { domain, store, uuids } = bench()
    await store.index([{ source: 'event', cdr: aCdr({ domain_name: domain }) }])

    expect(await store.remove({ ...all, domain }, 10)).toBe(1)
    expect(await uuids()).toEqual([])
  })

  test('only the CDRs that a condition finds are removed, of all domains but those that it excludes', async () => {
    const [one, other] = [bench(), bench()]
    await one.keep([{ uuid: 'u', destination_number: '4711' }, { uuid: 'v' }])
    await other.keep([{ uuid: 'u', destination_number: '4711' }])
    const must: Clause[] = [
      { kind: 'equals', field: 'destination_number', values: ['4711'] },
      { kind: 'equals', field: 'domain_name', values: [one.domain, other.domain] },
    ]
    const mustNot: Clause[] = [{ kind: 'equals', field: 'domain_name', values: [other.domain] }]

    const query: Clause = { kind: 'bool', must, mustNot, should: [], leastShould: 0 }
    expect(await one.store.remove({ ...all, query }, 10)).toBe(1)
    expect(await one.uuids()).toEqual(['v'])
    expect(await other.uuids()).toEqual(['u'])
  })

  test('a removed CDR can be written again', async () => {
    const { domain, keep, store, uuids } = bench()
    await keep([{ uuid: 'u' }])
    await store.remove({ ...all, domain }, 10)
    await keep([{ uuid: 'u' }])

    expect(await uuids()).toEqual(['u'])
  })
}

function writing(bench: () => CdrBench): void {
  test('a CDR is found with all its fields', async () => {
    const { domain, keep, store } = bench()
    const cdr = aCdr({
      domain_name: domain,
      parent_uuid: 'a parent',
      extension: '1000',
      network_addr: '192.0.2.1',
      source: 'mod_sofia',
      gateway: 'carrier',
      progresssec: 1,
      answersec: 5,
      waitsec: 5,
      holdsec: 10,
      talksec: 50,
      hangup_disposition: 'send_bye',
      originate_disposition: 'SUCCESS',
      transfer_disposition: 'recv_replace',
      quality_percentage_audio: 99.5,
      recordings: [{ name: 'one', contentType: 'audio/wav', size: 32_044, state: 'stored' }],
      variables: { sip_call_id: 'x@y', 'sip_h_X-Order': '7', note: 'Ünï 😀 "quoted"\\' },
    })

    await keep([cdr])

    const answer = await store.search(aPlan({ domain }), limitMs)
    expect(answer).toMatchObject({ timedOut: false, total: 1, isLeast: false, shards: { failed: 0 } })
    expect(answer.hits).toEqual([{ cdr, sort: [callTime, cdr.uuid] }])
  })

  test('nothing is written by a call without parts', async () => {
    const { store, uuids } = bench()

    expect(await store.index([])).toEqual([])

    expect(await uuids()).toEqual([])
  })

  const made = aCdr({ uuid: 'u', duration: 1, billsec: 1, source: 'made', variables: { a: 'made', b: 'made' } })
  const event = aCdr({
    uuid: 'u',
    duration: 2,
    gateway: 'event',
    source: 'event',
    variables: { b: 'event', c: 'event' },
  })
  const post = aCdr({ uuid: 'u', gateway: 'post', billsec: 3, variables: { c: 'post', d: 'post' } })
  const { source: _source, duration: _duration, ...posted } = post
  const parts: CdrPart[] = [
    { source: 'made', cdr: made },
    { source: 'event', cdr: event },
    { source: 'post', cdr: posted },
  ]
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
    [0, 1, 2, 0, 1, 0],
    [2, 2, 1, 1, 0],
  ]

  test.each(orders)('parts that come in the order %i %i %i make the same CDR', async (...order) => {
    const { domain, store, settle } = bench()
    const own = parts.map(({ source, cdr }) => ({ source, cdr: { ...cdr, domain_name: domain } }))

    for (const index of order) await store.index(own.slice(index, index + 1))

    await settle()
    const answer = await store.search(aPlan({ domain }), limitMs)
    const merged = { ...posted, domain_name: domain, duration: 2, source: 'event' }
    const variables = { a: 'made', b: 'event', c: 'post', d: 'post' }
    expect(answer.hits.map((hit) => hit.cdr)).toEqual([{ ...merged, variables }])
  })

  test('the parts of one leg that are written in one call are merged', async () => {
    const { domain, store, settle, uuids } = bench()
    const own = parts.map(({ source, cdr }) => ({ source, cdr: { ...cdr, domain_name: domain } }))

    await store.index([...own, ...own])

    await settle()
    expect(await uuids({ query: { kind: 'equals', field: 'variables.b', values: ['event'] } })).toEqual(['u'])
    expect(await uuids()).toEqual(['u'])
  })

  test('no part of a leg is lost when many write it at once', async () => {
    const { domain, store, settle, uuids } = bench()
    const own = parts.map(({ source, cdr }) => ({ source, cdr: { ...cdr, domain_name: domain } }))

    await Promise.all(own.map((part) => store.index([part])))

    await settle()
    expect(await uuids({ query: { kind: 'equals', field: 'variables.a', values: ['made'] } })).toEqual(['u'])
    expect(await uuids({ query: { kind: 'equals', field: 'variables.d', values: ['post'] } })).toEqual(['u'])
  })

  test('two tenants may have legs of one uuid', async () => {
    const [one, two] = [bench(), bench()]

    await one.keep([{ uuid: 'same', duration: 1 }])
    await two.keep([{ uuid: 'same', duration: 2 }])

    const found = await Promise.all([one, two].map(({ domain, store }) => store.search(aPlan({ domain }), limitMs)))
    expect(found.map(({ hits }) => hits.map((hit) => hit.cdr.duration))).toEqual([[1], [2]])
  })

  test('the recordings of an existing CDR can be replaced', async () => {
    const { domain, store, keep, settle, uuids } = bench()
    const recording = { name: 'one', contentType: 'audio/wav', size: 9, state: 'expected' } as const
    await keep([{ uuid: 'u', recordings: [recording] }, { uuid: 'other' }])
    const place = { domain_name: domain, uuid: 'u', leg: 'a', created_time: callTime } as const

    expect(await store.setRecordings(place, [{ ...recording, state: 'stored' }])).toBe(true)
    expect(await store.setRecordings({ ...place, uuid: 'unknown' }, [recording])).toBe(false)
    expect(await store.setRecordings({ ...place, domain_name: 'other.example.org' }, [recording])).toBe(false)

    await settle()
    const stored: Clause = { kind: 'equals', field: 'recordings.state', values: ['stored'] }
    expect(await uuids({ query: stored })).toEqual(['u'])
    await keep([{ uuid: 'u', recordings: [recording] }], 'post')
    expect(await uuids({ query: stored })).toEqual(['u'])
  })
}

function scope(bench: () => CdrBench): void {
  test('a search finds the CDRs of its domain, leg, caller and span of time only', async () => {
    const { keep, uuids } = bench()
    await keep([
      { uuid: '1', created_time: callTime },
      { uuid: '2', created_time: callTime + 1000, leg: 'b' },
      { uuid: '3', created_time: callTime + 2000, presence_id: '1001@a.example.com' },
    ])

    expect(await uuids()).toEqual(['1', '2', '3'])
    expect(await uuids({ domain: 'unknown.example.com' })).toEqual([])
    expect(await uuids({ legs: ['a'] })).toEqual(['1', '3'])
    expect(await uuids({ legs: ['b'] })).toEqual(['2'])
    expect(await uuids({ presenceId: '1001@a.example.com' })).toEqual(['3'])
    expect(await uuids({ from: callTime + 1000, to: callTime + 2000 })).toEqual(['2', '3'])
    expect(await uuids({ from: callTime + 1001, to: callTime + 1999 })).toEqual([])
    expect(await uuids({ from: callTime, to: callTime - 1 })).toEqual([])
  })

  test('no search condition can widen the search beyond its domain, caller, leg and time span', async () => {
    const [one, other] = [bench(), bench()]
    const shared = { created_time: callTime + 5, presence_id: '1001@a.example.com' }
    await other.keep([{ ...shared, uuid: 'theirs' }])
    await one.keep([
      { ...shared, uuid: 'mine' },
      { ...shared, uuid: 'early', created_time: callTime - 1 },
      { ...shared, uuid: 'late', created_time: callTime + 6 },
      { ...shared, uuid: 'b', leg: 'b' },
      { ...shared, uuid: 'not mine', presence_id: '1002@a.example.com' },
    ])
    const narrow = { legs: ['a'], presenceId: shared.presence_id, from: callTime, to: callTime + 5 } as const
    const theirs: Clause = { kind: 'equals', field: 'domain_name', values: [other.domain] }
    const parts = { must: [], mustNot: [], should: [], leastShould: 0 }

    expect(await one.uuids({ ...narrow, query: { kind: 'all' } })).toEqual(['mine'])
    expect(await one.uuids({ ...narrow, query: theirs })).toEqual([])
    const early: Clause = { kind: 'range', field: 'created_time', to: { value: callTime - 1, isInclusive: true } }
    expect(await one.uuids({ ...narrow, query: early })).toEqual([])
    expect(await one.uuids({ ...narrow, query: { kind: 'equals', field: 'uuid', values: ['early'] } })).toEqual([])
    expect(await one.uuids({ ...narrow, query: { kind: 'bool', ...parts, should: [early] } })).toEqual(['mine'])
    expect(await one.uuids({ ...narrow, query: { kind: 'bool', ...parts, mustNot: [theirs] } })).toEqual(['mine'])
    expect(await one.uuids({ ...narrow, query: { kind: 'bool', ...parts, should: [theirs] } })).toEqual(['mine'])
  })

  test('a search without a domain finds the CDRs of all', async () => {
    const [one, two] = [bench(), bench()]
    // Nothing else that tests write lies in this span.
    const at = callTime + 77 * day + randomInt(1_000_000)
    await one.keep([{ uuid: 'x', created_time: at }])
    await two.keep([{ uuid: 'y', created_time: at }])

    const found = await one.store.search(aPlan({ domain: undefined, from: at, to: at }), limitMs)

    expect(found.hits.map((hit) => hit.cdr.uuid)).toEqual(expect.arrayContaining(['x', 'y']))
  })

  test('one search goes over several months, and months without records find nothing', async () => {
    const { keep, uuids } = bench()
    const months = [0, 1, 2, 3].map((month) => Date.UTC(2026, month, 1))
    await keep(
      months.flatMap((at, index) => [
        { uuid: `b${index}`, created_time: at - 1 },
        { uuid: `c${index}`, created_time: at },
      ]),
    )

    expect(await uuids({ from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 2, 1) })).toEqual([
      'c0',
      'b1',
      'c1',
      'b2',
      'c2',
    ])
    expect(await uuids({ from: Date.UTC(1999, 0, 1), to: Date.UTC(1999, 11, 31) })).toEqual([])
  })
}

function pages(bench: () => CdrBench): void {
  const calls: Partial<Cdr>[] = [
    { uuid: 'a', duration: 10, gateway: 'x' },
    { uuid: 'b', duration: 10 },
    { uuid: 'c', gateway: 'Z', duration: 5 },
    { uuid: 'd', gateway: 'y', duration: undefined, quality_percentage_audio: 1.5 },
    { uuid: 'e', gateway: '😀', duration: undefined },
  ]
  const sorts = [
    ['uuid', 'asc', 'abcde'],
    ['uuid', 'desc', 'edcba'],
    ['duration', 'asc', 'cabde'],
    ['duration', 'desc', 'abcde'],
    ['gateway', 'asc', 'cadeb'],
    ['gateway', 'desc', 'edacb'],
    ['quality_percentage_audio', 'asc', 'dabce'],
    ['created_time', 'desc', 'abcde'],
  ] as const

  test.each(sorts)(
    'a search that is sorted by %s %s is in that order, then by uuid, with CDRs without a value last',
    async (field, order, expected) => {
      const { keep, uuids } = bench()
      await keep(calls)
      const sort =
        field === 'uuid'
          ? [{ field, order }]
          : [
              { field, order },
              { field: 'uuid', order: 'asc' as const },
            ]

      expect((await uuids({ sort })).join('')).toBe(expected)
    },
  )

  test.each(sorts)(
    'the pages of a search by %s %s that continue after a hit neither miss nor repeat one',
    async (field, order, expected) => {
      const { domain, keep, store } = bench()
      await keep(calls)
      const sort =
        field === 'uuid'
          ? [{ field, order }]
          : [
              { field, order },
              { field: 'uuid', order: 'asc' as const },
            ]

      for (const limit of [1, 2, 3]) expect((await walk(store, { domain, sort, limit })).join('')).toBe(expected)
    },
  )

  test('each hit contains the values that it was sorted by', async () => {
    const { domain, keep, store } = bench()
    await keep(calls.slice(2, 4))
    const sort = (['duration', 'gateway', 'quality_percentage_audio', 'created_time', 'uuid'] as const).map((field) => {
      return { field, order: 'asc' as const }
    })

    const answer = await store.search(aPlan({ domain, sort }), limitMs)

    expect(answer.hits.map((hit) => hit.sort)).toEqual([
      [5, 'Z', null, callTime, 'c'],
      [null, 'y', 1.5, callTime, 'd'],
    ])
  })

  test('a hit contains the fields of its requested columns and sort order', async () => {
    const { domain, keep, store } = bench()
    const recording = { name: 'one', contentType: 'audio/wav', size: 9, state: 'stored' } as const
    await keep([{ ...calls[0], recordings: [recording], variables: { 'a.b': 'c' } }])
    const sort = (['gateway', 'uuid'] as const).map((field) => ({ field, order: 'asc' as const }))
    const hit = async (...columns: string[]) => (await store.search(aPlan({ domain, sort, columns }), limitMs)).hits[0]
    const always = { uuid: 'a', domain_name: domain, leg: 'a', created_time: callTime }

    expect(await hit('duration')).toMatchObject({ cdr: { ...always, duration: 10 }, sort: ['x', 'a'] })
    expect(await hit('recordings.size')).toMatchObject({ cdr: { ...always, recordings: [{ size: 9 }] } })
    expect(await hit('variables.a.b', '_id')).toMatchObject({ cdr: { ...always, variables: { 'a.b': 'c' } } })
  })

  test('a search skips and limits hits as requested, and its total counts all of them', async () => {
    const { domain, keep, store, uuids } = bench()
    await keep(calls)

    expect(await uuids({ limit: 2 })).toEqual(['a', 'b'])
    expect(await uuids({ limit: 2, skip: 2 })).toEqual(['c', 'd'])
    expect(await uuids({ limit: 2, skip: 4 })).toEqual(['e'])
    expect(await uuids({ limit: 2, skip: 6 })).toEqual([])
    expect(await store.search(aPlan({ domain, limit: 0 }), limitMs)).toMatchObject({
      total: 5,
      hits: [],
      isLeast: false,
    })
    expect(await store.search(aPlan({ domain, limit: 1, skip: 1 }), limitMs)).toMatchObject({ total: 5 })
  })
}

/** All uuids that pages of a search give, each continued after the one before. */
async function walk(store: CdrStore, given: Partial<SearchPlan>): Promise<string[]> {
  const uuids: string[] = []
  let after: SearchPlan['after']
  for (;;) {
    const { hits } = await store.search(aPlan({ ...given, after }), limitMs)
    if (hits.length === 0 || uuids.length > 100) return uuids
    uuids.push(...hits.map((hit) => hit.cdr.uuid))
    after = hits.at(-1)?.sort
  }
}
