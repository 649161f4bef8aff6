import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { openSearchCdrStore } from '../../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { handler as listOtherLegs } from '../../../functions/cdr/list-other-legs.ts'
import { handler as readCdr } from '../../../functions/cdr/read-cdr.ts'
import { handler as scrollCdrs } from '../../../functions/cdr/scroll-cdrs.ts'
import { handler as searchCdrs } from '../../../functions/cdr/search-cdrs.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { aCdr } from '../../support/records/cdrs.ts'
import { emptySearch } from '../../support/stores/empty-search.ts'
import { checkInvariants } from '../../support/invariants/invariants.ts'
import { opened } from '../../support/processes/opened.ts'
import { type Replied, startSearchServer } from '../../support/stores/search-server.ts'
import { plantCdr } from '../../support/platform/tenant.ts'

const running = opened(() => startSearchServer())

const domain = 'a.example.com'
const uuid = '6f1c7a1e-6a1e-4b1d-9f0e-000000000001'

type Asking = (api: Api, headers: Record<string, string>, scrollId: string) => Promise<ApiAnswer>

/** Every endpoint that searches. */
const endpoints: Readonly<Record<string, Asking>> = {
  search: (api, headers) => api.call(searchCdrs, { headers, body: {} }),
  scroll: (api, headers, scrollId) => api.call(scrollCdrs, { headers, body: { scrollId } }),
  record: (api, headers) => api.call(readCdr, { headers, params: { uuid } }),
  legs: (api, headers) => api.call(listOtherLegs, { headers, params: { uuid } }),
}

const each = Object.entries(endpoints)

/** A caller whose searches go to the server, and the id of a search that it has begun. */
async function setUp() {
  const api = anApi()
  const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
  for (const other of ['', '2']) await plantCdr(api, { domain_name: domain, uuid: `${uuid}${other}` })
  const begun = await api.call(searchCdrs, { headers, body: { scroll: true, limit: 1 } })
  const server = running()
  server.answer = (_request, forward) => forward()
  server.requests.length = 0
  const cdrs = openSearchCdrStore({ env: server.env, clock: systemClock, random: systemRandomness })
  await emptySearch(server.env, domain)
  server.requests.length = 0
  const scrollId: string = begun.body.scrollId
  return { api: api.with({ cdrs }), headers, scrollId, server }
}

const reply = (status: number, body: object): Replied => ({ status, body: JSON.stringify(body) })

/** The answer to a search that has found nothing, with changes. */
const nothing = (given: object = {}): Replied =>
  reply(200, {
    took: 1,
    timed_out: false,
    _shards: { total: 2, successful: 2, skipped: 0, failed: 0 },
    hits: { total: { value: 0, relation: 'eq' }, hits: [] },
    ...given,
  })

describe('F66 the search store', () => {
  test.each(each)(
    'while the search store is unreachable %s is unavailable, and works as soon as the store is back',
    async (_name, ask) => {
      const { api, headers, scrollId, server } = await setUp()
      for (const away of [reply(429, {}), reply(503, {}), 'lost'] as const) {
        server.answer = () => away

        const answer = await ask(api, headers, scrollId)

        expect(answer).toMatchObject({ status: 503, body: { code: 'search_unavailable' } })
        expect(answer.headers).toMatchObject({ 'Retry-After': '2' })
      }
      server.answer = (_request, forward) => forward()

      const back = await ask(api, headers, scrollId)

      expect([200, 404]).toContain(back.status)
      checkInvariants({
        backAfterMs: 0,
        bounds: [{ of: 'requests for one search', value: server.requests.length, limit: 5 }],
        secrets: { values: Object.values(headers), seen: [...api.log.lines] },
      })
    },
  )

  test.each(each)('while the search store is slow %s times out after 10 s', async (_name, ask) => {
    const { api, headers, scrollId, server } = await setUp()
    for (const slow of [reply(504, {}), nothing({ timed_out: true })]) {
      server.answer = () => slow

      const answer = await ask(api, headers, scrollId)

      expect(answer).toMatchObject({ status: 504, body: { code: 'search_timeout' } })
    }
    const timeouts = server.requests.map(({ body }) => JSON.parse(body).timeout)
    expect(new Set(timeouts)).toEqual(new Set(['9500ms']))
    checkInvariants({ bounds: [{ of: 'searches', value: server.requests.length, limit: 2 }] })
  })

  test.each(each)('after a partial failure of the search store %s never counts as complete', async (name, ask) => {
    const { api, headers, scrollId, server } = await setUp()
    const _shards = { total: 2, successful: 1, skipped: 0, failed: 1 }
    server.answer = () => nothing({ _shards })

    const answer = await ask(api, headers, scrollId)

    if (name === 'record' || name === 'legs') {
      expect(answer).toMatchObject({ status: 503, body: { code: 'search_unavailable' } })
    } else {
      expect(answer).toMatchObject({ status: 200, body: { timed_out: true, _shards } })
      expect(answer.headers).toMatchObject({ 'X-Partial': 'true' })
    }
    checkInvariants({ bounds: [{ of: 'searches', value: server.requests.length, limit: 1 }] })
  })
})

describe('F67 an answer', () => {
  test.each(each)('an answer of 50 MiB is refused, and the refusal names the way out: %s', async (_name, ask) => {
    const { api, headers, scrollId, server } = await setUp()
    const note = 'n'.repeat(100_000)
    const hits = Array.from({ length: 500 }, () => ({ _source: aCdr({ uuid, variables: { note } }), sort: [0, uuid] }))
    server.answer = () => nothing({ hits: { total: { value: 500, relation: 'eq' }, hits } })

    const answer = await ask(api, headers, scrollId)

    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect(answer.body.info).toMatch(/fewer/)
    checkInvariants({ bounds: [{ of: 'bytes of the answer', value: answer.bytes.length, limit: 1000 }] })
  })

  test('the size of a search answer is limited before the search store is asked', async () => {
    const { api, headers, server } = await setUp()

    const answer = await api.call(searchCdrs, { headers, body: { limit: 1001 } })

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    checkInvariants({ bounds: [{ of: 'searches', value: server.requests.length, limit: 0 }] })
  })
})

describe('F68 a costly query', () => {
  const many = (length: number, make: (index: number) => object) => Array.from({ length }, (_, index) => make(index))
  const nested = (depth: number): object =>
    depth === 0 ? { exists: { field: 'uuid' } } : { bool: { must: nested(depth - 1) } }

  test.each<[string, object]>([
    ['of 101 clauses', { filter: many(101, (index) => ({ term: { caller_id_number: `${index}` } })) }],
    ['of nine levels', { filter: nested(9) }],
    ['of 1025 characters', { query: 'x'.repeat(1025) }],
    ['with a regular expression', { query: 'caller_id_number:/(a+)+b/' }],
    ['with a program', { filter: { script: { script: 'while(true){}' } } }],
    ['over years', { filter: { range: { created_time: { gte: '2001-01-01' } } } }],
    [
      'counting in a million steps',
      { aggs: { a: { date_histogram: { field: 'created_time', fixed_interval: '1s' } } } },
    ],
    ['counting in steps without end', { aggs: { a: { histogram: { field: 'duration', interval: 1e-9 } } } }],
  ])('a search with %s is refused before it is sent', async (_title, body) => {
    const { api, headers, server } = await setUp()

    const answer = await api.call(searchCdrs, { headers, body })

    expect(answer).toMatchObject({ status: 400, body: { code: 'query_refused' } })
    checkInvariants({ bounds: [{ of: 'searches', value: server.requests.length, limit: 0 }] })
  })

  test('a query that only the search store considers too costly is refused, and is no outage', async () => {
    const { api, headers, server } = await setUp()
    server.answer = () => reply(500, { error: { root_cause: [{ type: 'too_many_nested_clauses' }] }, status: 500 })

    const answer = await api.call(searchCdrs, { headers, body: {} })

    expect(answer).toMatchObject({ status: 400, body: { code: 'query_refused' } })
    checkInvariants({ bounds: [{ of: 'searches', value: server.requests.length, limit: 1 }] })
  })
})

describe('F69 a time before the first index', () => {
  test('a search before the first index finds no calls, without an error', async () => {
    const { api, headers, scrollId, server } = await setUp()
    const gte = new Date(api.clock.now() - 390 * 86_400_000).toISOString()
    const lte = new Date(api.clock.now() - 380 * 86_400_000).toISOString()

    const answer = await api.call(searchCdrs, { headers, body: { filter: { range: { created_time: { gte, lte } } } } })

    expect(answer).toMatchObject({ status: 200, body: { timed_out: false, hits: { total: 0, hits: [] } } })
    expect(await api.call(scrollCdrs, { headers, body: { scrollId } })).toMatchObject({ status: 200 })
    expect(await api.call(readCdr, { headers, params: { uuid } })).toMatchObject({ status: 404 })
    checkInvariants({ bounds: [{ of: 'searches', value: server.requests.length, limit: 3 }] })
  })
})
