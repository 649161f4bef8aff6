import { describe, expect, test } from 'vitest'
import { memoryCdrStore } from '../../support/memory/memory-cdr-store.ts'
import { memoryState } from '../../support/memory/memory-state.ts'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import { otherLegs, readCdr } from '../../../core/cdr/search/read-cdr.ts'
import type { SearchResponse } from '../../../core/cdr/search-plan.ts'
import { scrollCdrs, searchCdrs } from '../../../core/cdr/search/search-cdrs.ts'
import { aCdr, callTime } from '../../support/records/cdrs.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { signerForTests } from '../../support/stores/scroll-signer.ts'

const domain = 'a.example.com'
const caller = { username: `1000@${domain}`, domain }

async function searching(cdrs: readonly Partial<Cdr>[]) {
  const store = memoryCdrStore({ state: memoryState() })
  await store.index(cdrs.map((given) => ({ source: 'event', cdr: aCdr({ domain_name: domain, ...given }) })))
  return { cdrs: store, clock: movableClock(callTime), signer: signerForTests() }
}

/** Tools over a store that gives one answer to everything. */
async function answering(given: Partial<SearchResponse>) {
  const tools = await searching([])
  const shards = { total: 2, successful: 2, skipped: 0, failed: 0 }
  const answer = { tookMs: 7, timedOut: false, shards, total: 0, isLeast: false, hits: [], ...given }
  return { ...tools, cdrs: { search: async () => answer } }
}

describe('an answer', () => {
  test("a search's answer shows the requested columns, in the form of the published API", async () => {
    const recordings = [{ name: 'one', contentType: 'audio/wav', size: 9, state: 'stored' as const }]
    const tools = await searching([{ uuid: 'u', leg: 'b', gateway: undefined, recordings, variables: { x: '1' } }])
    const columns = ['created_time', 'caller_id_name', 'duration', 'gateway', '_id']
    const more = ['recordings.name', 'recordings.size', 'recordings', 'variables.x', 'variables.y', 'queue.name']

    const { body, headers } = await searchCdrs(tools, caller, { leg: '*', body: { columns: [...columns, ...more] } })

    expect(headers).toEqual({ 'X-Default-Range': 'now-31d' })
    expect(body).toEqual({
      took: 0,
      timed_out: false,
      _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
      hits: {
        total: 1,
        max_score: null,
        hits: [
          {
            _index: 'cdr-b-2026-01-a.example.com',
            _type: 'cdr',
            _id: 'u',
            _score: null,
            fields: {
              created_time: ['2026-01-15T12:00:00.000Z'],
              caller_id_name: ['Ann Lee'],
              duration: [65],
              _id: ['u'],
              'recordings.name': ['one'],
              'recordings.size': [9],
              recordings: ['one'],
              'variables.x': ['1'],
            },
            sort: [callTime, 'u'],
          },
        ],
      },
    })
  })

  test("a search's answer shows whole CDRs if no columns were requested", async () => {
    const cdr = aCdr({ domain_name: domain, gateway: undefined, variables: { x: '1' } })
    const tools = await searching([cdr])

    const [hit] = (await searchCdrs(tools, caller, { body: {} })).body.hits.hits

    expect(hit).not.toHaveProperty('fields')
    expect(hit?._source).toEqual(cdr)
    expect(Object.keys(hit?._source ?? {})).not.toContain('gateway')
  })

  test("a search's answer contains only CDRs that the caller may see", async () => {
    const tools = await searching([
      { uuid: '1' },
      { uuid: '2', presence_id: '1001@a.example.com' },
      { uuid: '3', domain_name: 'b.example.com' },
    ])
    const found = async (given: object) => {
      const { hits } = (await searchCdrs(tools, { ...caller, ...given }, { body: { query: '* OR domain_name:b*' } }))
        .body.hits
      return hits.map(({ _id }) => _id).join('')
    }

    expect(await found({})).toBe('12')
    expect(await found({ presenceId: caller.username })).toBe('1')
    expect(await found({ presenceId: 'token:x' })).toBe('')
    expect(await found({ domain: null })).toBe('123')
  })

  test("a search's answer has the requested counts", async () => {
    const tools = await searching([{ gateway: 'x' }, { gateway: 'x' }])

    const { body } = await searchCdrs(tools, caller, {
      body: { limit: 0, aggs: { g: { terms: { field: 'gateway' } } } },
    })

    expect(body.hits).toEqual({ total: 2, max_score: null, hits: [] })
    expect(body.aggregations).toMatchObject({ g: { buckets: [{ key: 'x', doc_count: 2 }] } })
  })

  test('a search with a time range is not limited to the default range', async () => {
    const { headers } = await searchCdrs(await searching([]), caller, { body: { query: 'created_time:>now-1d' } })

    expect(headers).toEqual({})
  })

  test("a search's answer says when there are more than 10 000 hits", async () => {
    const tools = await answering({ total: 10_000, isLeast: true })

    const { body, headers } = await searchCdrs(tools, caller, { body: { query: 'created_time:>now-1d' } })

    expect(headers).toEqual({ 'X-Total-Relation': 'gte' })
    expect(body.hits.total).toBe(10_000)
  })

  test("a search's answer is marked as partial when a part of the store failed", async () => {
    const tools = await answering({ shards: { total: 2, successful: 1, skipped: 0, failed: 1 } })

    const { body, headers } = await searchCdrs(tools, caller, { body: {} })

    expect(headers['X-Partial']).toBe('true')
    expect(body).toMatchObject({ timed_out: true, _shards: { failed: 1 } })
  })

  test('a search fails when the store ran out of time', async () => {
    const tools = await answering({ timedOut: true })

    await expect(searchCdrs(tools, caller, { body: {} })).rejects.toMatchObject({ code: 'search_timeout' })
  })

  test.each([
    ['is given up to 6 MB', 59, undefined],
    ['is refused above 6 MB, and the way out is said', 61, 'payload_too_large'],
    ['is measured in bytes', 31, 'payload_too_large', 'é'],
    ['is measured as its function hands it over', 16, 'payload_too_large', '"'],
    ['is given where its quotes leave room', 14, undefined, '"'],
  ])('a large answer of a search %s', async (_title, count, code, letter = 'x') => {
    const cdr = aCdr({ variables: { long: letter.repeat(100_000) } })
    const tools = await answering({ hits: Array.from({ length: count }, () => ({ cdr, sort: [] })) })

    const answer = searchCdrs(tools, caller, { body: {} })

    if (code === undefined) expect((await answer).body.hits.hits).toHaveLength(count)
    else await expect(answer).rejects.toMatchObject({ code, message: expect.stringContaining('fewer columns') })
  })
})

describe('scrolling', () => {
  const seven = Array.from({ length: 7 }, (_, index) => ({ uuid: `u${index}`, created_time: callTime - index }))

  test('scrolling goes through all hits, each once', async () => {
    const tools = await searching(seven)
    const first = await searchCdrs(tools, caller, { body: { scroll: true, limit: 3, columns: ['uuid'], query: 'u*' } })
    const second = await scrollCdrs(tools, caller, first.body.scrollId ?? '')
    const third = await scrollCdrs(tools, caller, second.body.scrollId ?? '')

    const pages = [first, second, third].map(({ body }) =>
      body.hits.hits.map(({ fields }) => fields?.['uuid']?.[0]).join(' '),
    )
    expect(pages).toEqual(['u0 u1 u2', 'u3 u4 u5', 'u6'])
    expect([first, second, third].map(({ body }) => body.hits.total)).toEqual([7, 7, 7])
    expect(third.body).not.toHaveProperty('scrollId')
  })

  test('scrolling starts on the requested page, and keeps leg and order', async () => {
    const tools = await searching(seven.map((cdr) => ({ ...cdr, leg: 'b' as const })))
    const body = { scroll: true, limit: 2, pageNumber: 2, sort: { uuid: 'desc' } }
    const first = await searchCdrs(tools, caller, { leg: 'b', body })
    const second = await scrollCdrs(tools, caller, first.body.scrollId ?? '')

    expect([first, second].map((page) => page.body.hits.hits.map(({ _id }) => _id))).toEqual([
      ['u4', 'u3'],
      ['u2', 'u1'],
    ])
  })

  test('scrolling counts relative times from the start of the search', async () => {
    const tools = await searching(seven)
    const first = await searchCdrs(tools, caller, {
      body: { scroll: true, limit: 5, query: 'created_time:[now-10s TO now]' },
    })
    tools.clock.move(9 * 60_000)

    const second = await scrollCdrs(tools, caller, first.body.scrollId ?? '')

    expect(second.body.hits.hits.map(({ _id }) => _id)).toEqual(['u5', 'u6'])
  })

  test('scrolling is allowed only to the caller that began it, in the same domain', async () => {
    const tools = await searching(seven)
    const { scrollId = '' } = (await searchCdrs(tools, caller, { body: { scroll: true, limit: 1 } })).body
    const denied = expect.objectContaining({ code: 'permission_denied' })

    await expect(scrollCdrs(tools, { ...caller, username: `1001@${domain}` }, scrollId)).rejects.toEqual(denied)
    await expect(scrollCdrs(tools, { ...caller, domain: 'b.example.com' }, scrollId)).rejects.toEqual(denied)
  })

  test('scrolling by root continues in the domain that the search named', async () => {
    const tools = await searching([
      ...seven,
      { uuid: 'theirs', domain_name: 'b.example.com', created_time: callTime - 1 },
    ])
    const root = { username: 'root', domain }
    const { scrollId = '' } = (await searchCdrs(tools, root, { body: { scroll: true, limit: 1 } })).body

    const next = await scrollCdrs(tools, { ...root, domain: null }, scrollId)

    expect(next.body.hits.hits.map(({ _id }) => _id)).toEqual(['u1'])
    const everywhere = (await searchCdrs(tools, { ...root, domain: null }, { body: { scroll: true, limit: 1 } })).body
    await expect(scrollCdrs(tools, root, everywhere.scrollId ?? '')).rejects.toMatchObject({
      code: 'permission_denied',
    })
  })

  test('scrolling shows only CDRs that the caller may still see', async () => {
    const tools = await searching(seven)
    const { scrollId = '' } = (await searchCdrs(tools, caller, { body: { scroll: true, limit: 1 } })).body

    const next = await scrollCdrs(tools, { ...caller, presenceId: 'nobody@a.example.com' }, scrollId)

    expect(next.body.hits.total).toBe(0)
  })

  test('a scroll id expires ten minutes after the previous page', async () => {
    const tools = await searching(seven)
    const { scrollId = '' } = (await searchCdrs(tools, caller, { body: { scroll: true, limit: 1 } })).body
    tools.clock.move(10 * 60_000 - 1)
    const { scrollId: second = '' } = (await scrollCdrs(tools, caller, scrollId)).body
    tools.clock.move(1)

    await expect(scrollCdrs(tools, caller, scrollId)).rejects.toMatchObject({ code: 'invalid_field' })
    expect((await scrollCdrs(tools, caller, second)).body.hits.hits).toHaveLength(1)
  })

  test('scrolling refuses every id that the service did not sign', async () => {
    const tools = await searching(seven)
    const { scrollId = '' } = (await searchCdrs(tools, caller, { body: { scroll: true, limit: 1 } })).body
    const [text = '', signature = ''] = scrollId.split('.')
    const other = btoa(atob(text).replace(domain, 'b.example.com')).replaceAll('=', '')
    const forged = ['', '.', 'x', text, `${text}.`, `${text}x.${signature}`, `${other}.${signature}`, `${scrollId}.x`]

    for (const id of forged)
      await expect(scrollCdrs(tools, caller, id)).rejects.toMatchObject({ code: 'invalid_field' })
    const none = `e30.${await tools.signer.sign('e30')}`
    await expect(scrollCdrs(tools, caller, none)).rejects.toMatchObject({ code: 'invalid_field' })
  })

  test.each([
    ['100 letters', 900, 'u'],
    ['60 letters beyond ASCII', 900, 'ж'.repeat(60)],
  ])(
    'scrolling is refused for a search that is too long for its scroll id: 900 values of %s',
    async (_title, length, letters) => {
      const tools = await searching(seven)
      const values = Array.from({ length }, (_, index) =>
        `${letters}${index}`.padStart(letters.length > 1 ? 0 : 100, 'u'),
      )
      const filter = { bool: { should: [{ terms: { uuid: values } }, { exists: { field: 'uuid' } }] } }

      await expect(searchCdrs(tools, caller, { body: { scroll: true, limit: 1, filter } })).rejects.toMatchObject({
        code: 'invalid_field',
        details: [expect.objectContaining({ field: 'scroll' })],
      })
    },
  )
})

describe('one record and its legs', () => {
  const family = [
    { uuid: 'a', created_time: callTime - 3 },
    { uuid: 'b1', leg: 'b', parent_uuid: 'a', created_time: callTime - 2 },
    { uuid: 'b2', leg: 'b', parent_uuid: 'a', presence_id: '1001@a.example.com', created_time: callTime - 1 },
    { uuid: 'alone' },
    { uuid: 'theirs', leg: 'b', parent_uuid: 'a', domain_name: 'b.example.com' },
  ] as const

  test('a CDR is returned only to a caller of its domain who may see it', async () => {
    const tools = await searching(family)

    expect(await readCdr(tools, caller, 'b1')).toMatchObject({ uuid: 'b1', parent_uuid: 'a' })
    expect(await readCdr(tools, { domain: null }, 'theirs')).toMatchObject({ domain_name: 'b.example.com' })
    for (const [scope, uuid] of [
      [caller, 'theirs'],
      [caller, 'unknown'],
      [{ ...caller, presenceId: caller.username }, 'b2'],
    ] as const) {
      await expect(readCdr(tools, scope, uuid)).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('reading a CDR fails while a part of the store does not answer, since the CDR might be there', async () => {
    const shards = { total: 2, successful: 1, skipped: 0, failed: 1 }
    const tools = await answering({ shards, hits: [{ cdr: aCdr(), sort: [] }] })

    for (const reading of [readCdr, otherLegs]) {
      await expect(reading(tools, caller, 'u')).rejects.toMatchObject({ code: 'search_unavailable' })
    }
  })

  test('the other legs of a CDR are those of the same call, newest first', async () => {
    const tools = await searching(family)
    const legs = async (scope: { domain: string | null; presenceId?: string }, uuid: string) => {
      return (await otherLegs(tools, scope, uuid)).map((cdr) => cdr.uuid)
    }

    expect(await legs(caller, 'a')).toEqual(['b2', 'b1'])
    expect(await legs(caller, 'b1')).toEqual(['b2', 'a'])
    expect(await legs(caller, 'alone')).toEqual([])
    expect(await legs({ domain: null }, 'a')).toEqual(['b2', 'b1'])
    expect(await legs({ domain, presenceId: caller.username }, 'a')).toEqual(['b1'])
    await expect(legs(caller, 'unknown')).rejects.toMatchObject({ code: 'not_found' })
  })
})
