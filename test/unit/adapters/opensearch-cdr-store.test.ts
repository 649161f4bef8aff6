import { createServer } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { clauseDsl } from '../../../adapters/opensearch/clause-dsl.ts'
import { indicesOf } from '../../../adapters/opensearch/indices.ts'
import { openSearchCdrStore } from '../../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { withTimeLimit } from '../../../adapters/time-limit.ts'
import { searchDomains } from '../../../contracts/resources.ts'
import type { CdrStore } from '../../../core/cdr/cdr-store.ts'
import { aCdr, aPlan, callTime } from '../../support/records/cdrs.ts'
import { emptySearch } from '../../support/stores/empty-search.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { opened } from '../../support/processes/opened.ts'
import { type Replied, type SearchServer, startSearchServer } from '../../support/stores/search-server.ts'

const running = opened(() => startSearchServer())

let server: SearchServer
let store: CdrStore

beforeEach(async () => {
  server = running()
  server.answer = (_request, forward) => forward()
  store = storeAt(server.env)
  await emptySearch(server.env, 'a.example.com')
  server.requests.length = 0
})

function storeAt(env: Readonly<Record<string, string>>): CdrStore {
  return openSearchCdrStore({ env, clock: systemClock, random: systemRandomness })
}

const searching = (limitMs = 10_000) => store.search(aPlan(), limitMs)
const writing = () => store.index([{ source: 'event', cdr: aCdr({ uuid: 'u' }) }])

function reply(status: number, body: unknown): Replied {
  return { status, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

/** The answer to a search that has found nothing, with changes. */
function anAnswer(given: object = {}) {
  return {
    took: 1,
    timed_out: false,
    _shards: { total: 2, successful: 2, skipped: 0, failed: 0 },
    hits: { total: { value: 0, relation: 'eq' }, hits: [] },
    ...given,
  }
}

function aHit(given: object = {}) {
  const _source = { ...aCdr({ uuid: 'u' }), ...given }
  return { hits: { total: { value: 1, relation: 'eq' }, hits: [{ _source, sort: [callTime, 'u'] }] } }
}

/** Answers requests whose path ends so; all others are forwarded. */
function answering(end: string, answer: (count: number) => Replied | undefined): void {
  let count = 0
  server.answer = (request, forward) => {
    if (!request.path.endsWith(end)) return forward()
    count += 1
    return answer(count) ?? forward()
  }
}

describe('an outage of the search store', () => {
  it('the search store is unavailable when nothing listens at its address', async () => {
    const env = { ...server.env, [searchDomains.cdr.variable]: `http://127.0.0.1:${await freePort()}` }
    const nowhere = storeAt(env)

    await expect(nowhere.search(aPlan(), 1000)).rejects.toMatchObject({ code: 'search_unavailable' })
    await expect(nowhere.index([{ source: 'event', cdr: aCdr() }])).rejects.toMatchObject({
      code: 'search_unavailable',
    })
  })

  it.each([429, 500, 502, 503])('the search store is unavailable when a search is answered with %i', async (status) => {
    server.answer = () => reply(status, { error: { type: 'x' } })

    await expect(searching()).rejects.toMatchObject({ code: 'search_unavailable', retryAfterSeconds: 2 })
  })

  it.each([408, 504])('a search times out when it is answered with %i', async (status) => {
    server.answer = () => reply(status, '')

    await expect(searching()).rejects.toMatchObject({ code: 'search_timeout' })
  })

  it('a search times out when no answer comes within the limit', async () => {
    server.answer = () => new Promise(() => {})

    await expect(searching(50)).rejects.toMatchObject({ code: 'search_timeout' })
  })

  it.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['another form', { took: 1 }],
    ['hits without a source', anAnswer({ hits: { total: { value: 1, relation: 'eq' }, hits: [{ sort: [] }] } })],
    ['a record in another form', anAnswer(aHit({ duration: 'long' }))],
    ['a record of another domain', anAnswer(aHit({ domain_name: 'other.example.com' }))],
    ['hits without their order', anAnswer({ hits: { ...aHit().hits, hits: [{ _source: aCdr(), sort: [] }] } })],
  ])('the search store is unavailable when a search is answered with %s', async (_title, body) => {
    server.answer = () => reply(200, body)

    await expect(searching()).rejects.toMatchObject({ code: 'search_unavailable' })
  })

  it.each([
    ['no aggregation', {}],
    ['an aggregation in another form', { all: { buckets: [{}] } }],
  ])('the search store is unavailable when a search is answered with %s', async (_title, aggregations) => {
    server.answer = () => reply(200, anAnswer({ aggregations }))
    const all = { kind: 'terms', field: 'gateway', size: 1, leastCount: 1 } as const

    const search = store.search(aPlan({ aggregations: { all } }), 10_000)

    await expect(search).rejects.toMatchObject({ code: 'search_unavailable' })
  })

  it('a hit of another caller in the answer of the search store is an outage and is shown to no caller', async () => {
    server.answer = () => reply(200, anAnswer(aHit({ presence_id: '1001@a.example.com' })))

    const search = store.search(aPlan({ presenceId: '1000@a.example.com' }), 10_000)

    await expect(search).rejects.toMatchObject({ code: 'search_unavailable' })
  })

  it('a persistent connection that ended before its next use is no outage of the search store', async () => {
    answering('/_search', (count) => (count === 1 ? 'lost' : undefined))

    expect(await searching()).toMatchObject({ total: 0 })
    expect(server.requests).toHaveLength(2)
  })

  it('an outage of the search store is not hidden by more than one repetition', async () => {
    server.answer = () => 'lost'

    await expect(searching()).rejects.toMatchObject({ code: 'search_unavailable' })
    expect(server.requests).toHaveLength(2)
  })
})

describe('a search', () => {
  it('the result of a search shows which shards failed and that its time was over', async () => {
    const _shards = { total: 3, successful: 2, failed: 1 }
    server.answer = () => reply(200, anAnswer({ timed_out: true, _shards }))

    const answer = await searching()

    expect(answer).toMatchObject({ timedOut: true, shards: { ..._shards, skipped: 0 } })
  })

  it('a search is refused when the store cannot run its query', async () => {
    server.answer = () => reply(400, { error: { type: 'too_many_buckets_exception' } })

    await expect(searching()).rejects.toMatchObject({ code: 'query_refused' })
  })

  it.each([
    [500, 'too_many_nested_clauses'],
    [503, 'too_many_buckets_exception'],
  ])('a search is refused when the store answers %i for a query with %s', async (status, type) => {
    server.answer = () => reply(status, { error: { root_cause: [{ type }] }, status })

    await expect(searching()).rejects.toMatchObject({ code: 'query_refused' })
  })

  it('a search never lets the store make the empty steps of a histogram, of which a short step has billions', async () => {
    const sizes = { kind: 'histogram', field: 'recordings.size', interval: 1, leastCount: 0 } as const
    const buckets = [{ key: 0, doc_count: 1 }].concat({ key: 500_000_000, doc_count: 1 })
    server.answer = () => reply(200, anAnswer({ aggregations: { sizes: { buckets } } }))

    const search = store.search(aPlan({ aggregations: { sizes } }), 10_000)

    await expect(search).rejects.toMatchObject({ code: 'query_refused' })
    const [{ body } = { body: '' }] = server.requests
    expect(JSON.parse(body)).toMatchObject({ aggs: { sizes: { histogram: { min_doc_count: 1 } } } })
  })

  it('the steps of histograms are filled up to 65 535 in all of an answer', async () => {
    const steps = { kind: 'histogram', field: 'duration', interval: 1, leastCount: 0 } as const
    const buckets = [{ key: 0, doc_count: 1 }].concat({ key: 40_000, doc_count: 1 })
    server.answer = () => reply(200, anAnswer({ aggregations: { a: { buckets }, b: { buckets } } }))

    const search = store.search(aPlan({ aggregations: { a: steps, b: steps } }), 10_000)

    await expect(search).rejects.toMatchObject({ code: 'query_refused' })
  })

  it('a search fails with an error of the service when the store does not know the service', async () => {
    server.answer = () => reply(403, { Message: 'not authorized' })

    await expect(searching()).rejects.toMatchObject({ code: 'internal_error' })
  })

  it('a search reads no answer above 6 MB to its end', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ')
    let sent = 0
    const huge = createServer((request, response) => {
      request.resume()
      const more = (): void => {
        while (sent < 50 * 1024 * 1024 && !response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const port = await freePort()
    await new Promise<void>((resolve) => {
      huge.listen(port, '127.0.0.1', resolve)
    })
    const env = { ...server.env, [searchDomains.cdr.variable]: `http://127.0.0.1:${port}` }

    await expect(storeAt(env).search(aPlan(), 10_000)).rejects.toMatchObject({ code: 'payload_too_large' })

    huge.closeAllConnections()
    await new Promise((resolve) => huge.close(resolve))
    expect(sent).toBeLessThan(30 * 1024 * 1024)
  })

  it('a search sends the store its limit, its domain and the indices that may contain results', async () => {
    await store.search(aPlan({ from: Date.UTC(2025, 11, 31), to: Date.UTC(2026, 0, 1), limit: 7, skip: 3 }), 10_000)

    const [{ path, query, body } = { path: '', query: '', body: '' }] = server.requests
    expect(decodeURIComponent(path)).toBe('/cdr-a-2025-12,cdr-a-2026-01,cdr-b-2025-12,cdr-b-2026-01/_search')
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      ignore_unavailable: 'true',
      allow_no_indices: 'true',
      allow_partial_search_results: 'true',
      routing: 'a.example.com',
    })
    expect(JSON.parse(body)).toMatchObject({ timeout: '9500ms', size: 7, from: 3, track_total_hits: 10_000 })
  })

  it('a search finds a record with a variable called __proto__', async () => {
    const [before, after] = JSON.stringify(anAnswer(aHit())).split('"variables":{}')
    server.answer = () => reply(200, `${before}"variables":{"__proto__":"a caller's text"}${after}`)

    expect(await searching()).toMatchObject({ total: 1 })
  })

  it('a search ends with the time limit of its work', async () => {
    server.answer = () => new Promise(() => {})
    const limit = { until: systemClock.now() + 20, clock: systemClock }

    // Far longer than this test may take: nothing else ends the search.
    const search = withTimeLimit(limit, () => searching(600_000))

    await expect(search).rejects.toMatchObject({ code: 'deadline_exceeded' })
  })

  it('a search is not begun after the time limit of its work', async () => {
    const clock = movableClock()

    // The clock says so, and the timer of the limit has not fired: this process was busy.
    const search = withTimeLimit({ until: clock.now() + 60_000, clock }, async () => {
      clock.move(60_000)
      await searching()
    })

    await expect(search).rejects.toMatchObject({ code: 'deadline_exceeded' })
    expect(server.requests).toEqual([])
  })

  it("a search over very many months addresses all indices of a kind of leg instead of each month's index", () => {
    expect(indicesOf(['a', 'b'], 0, callTime)).toBe('cdr-a-*,cdr-b-*')
    expect(indicesOf(['b'], -Infinity, Infinity)).toBe('cdr-b-*')
    expect(indicesOf(['a'], callTime, callTime - 31 * 86_400_000)).toBe('cdr-none')
  })

  it("a search treats no part of a variable's name as a pattern", () => {
    const clause = { kind: 'wildcard', field: String.raw`variables.a*?\=%`, pattern: 'x*' } as const

    const value = String.raw`a\*\?\\%3D%25=x*`
    expect(clauseDsl(clause)).toEqual({ wildcard: { pairs: { value } } })
  })
})

const conflict = (action: 'create' | 'index') => {
  return reply(200, { items: [{ [action]: { status: 409, error: { type: 'version_conflict_engine_exception' } } }] })
}

describe('writing', () => {
  it('writing CDRs returns the parts that the store refuses for good, with the reason', async () => {
    const cdr = aCdr({ uuid: 'u' })
    const bad = { ...cdr, uuid: 'bad' }
    answering('/_bulk', () => {
      const error = { type: 'mapper_parsing_exception', reason: 'failed to parse' }
      return reply(200, { items: [{ create: { status: 201 } }, { create: { status: 400, error } }] })
    })
    const part = { source: 'event' as const, cdr: bad }

    const refused = await store.index([{ source: 'event', cdr }, part])

    expect(refused).toEqual([{ part, reason: 'mapper_parsing_exception: failed to parse' }])
  })

  it('writing CDRs repeats the parts for which the store had no room, and those that were changed concurrently', async () => {
    answering('/_bulk', (count) => {
      if (count === 1) return reply(200, { items: [{ create: { status: 429, error: { type: 'rejected' } } }] })
      return count === 2 ? conflict('create') : undefined
    })

    expect(await writing()).toEqual([])

    expect(server.requests.map(({ path }) => path)).toEqual(['/_bulk', '/_mget', '/_bulk', '/_mget', '/_bulk'])
    expect((await searching()).total).toBe(1)
  })

  it('writing CDRs gives up when other writers keep changing the same documents', async () => {
    answering('/_bulk', () => conflict('create'))

    await expect(writing()).rejects.toMatchObject({ code: 'search_unavailable' })
    expect(server.requests.filter(({ path }) => path === '/_bulk')).toHaveLength(8)
  })

  it('a new CDR is written in one request, which reads nothing first', async () => {
    await writing()

    expect(server.requests.map(({ path }) => path)).toEqual(['/_bulk'])
  })

  it('a part that contains nothing new changes no CDR: only the attempt to write it as a new one is refused', async () => {
    await writing()
    server.requests.length = 0

    await writing()

    const [bulk, ...others] = server.requests
    expect(JSON.parse(bulk?.body.split('\n')[0] ?? '')).toHaveProperty('create')
    expect(others.map(({ path }) => path)).toEqual(['/_mget'])
  })

  it('writing CDRs halves a request that is too large, and refuses a part that is too large alone', async () => {
    const cdrs = ['1', '2', '3'].map((uuid) => aCdr({ uuid }))
    server.answer = ({ path, body }, forward) => {
      const isTooLarge = path === '/_bulk' && (body.split('\n').length > 3 || body.includes('"uuid":"2"'))
      return isTooLarge ? reply(413, { Message: 'too large' }) : forward()
    }

    const refused = await store.index(cdrs.map((cdr) => ({ source: 'event', cdr })))

    expect(refused.map(({ part }) => part.cdr.uuid)).toEqual(['2'])
    expect((await searching()).hits.map(({ cdr }) => cdr.uuid).sort()).toEqual(['1', '3'])
  })

  it.each([
    ['/_mget', { docs: [] }],
    ['/_mget', { docs: [{ found: true }] }],
    ['/_bulk', { items: [] }],
    ['/_bulk', 'nonsense'],
  ])('the search store is unavailable when %s is answered in another form', async (path, body) => {
    // One that is there already, so that it is read.
    await writing()
    answering(path, () => reply(200, body))

    await expect(writing()).rejects.toMatchObject({ code: 'search_unavailable' })
  })

  it('writing CDRs sends requests of at most 200 CDRs', async () => {
    await store.index(Array.from({ length: 401 }, () => ({ source: 'event', cdr: aCdr() })))

    const bulks = server.requests.filter(({ path }) => path === '/_bulk')
    expect(bulks.map(({ body }) => body.split('\n').length >> 1)).toEqual([200, 200, 1])
  })

  it('long CDRs are written in requests of at most 512 KiB of their variables', async () => {
    const variables = Object.fromEntries(
      Array.from({ length: 97 }, (_, index) => [`x_${index}`, '\u0001'.repeat(1_024)]),
    )
    await store.index(Array.from({ length: 11 }, () => ({ source: 'event', cdr: aCdr({ variables }) })))

    const bulks = server.requests.filter(({ path }) => path === '/_bulk')
    expect(bulks.map(({ body }) => body.split('\n').length >> 1)).toEqual([5, 5, 1])
  })
})

describe('recordings', () => {
  const place = { domain_name: 'a.example.com', uuid: 'u', leg: 'a', created_time: callTime } as const
  const recordings = [{ name: 'one', contentType: 'audio/wav', size: 1, state: 'stored' } as const]

  it('the recordings of a CDR are set again after a concurrent write', async () => {
    await writing()
    answering('/_bulk', (count) => (count === 1 ? conflict('index') : undefined))

    expect(await store.setRecordings(place, recordings)).toBe(true)

    expect((await searching()).hits[0]?.cdr.recordings).toEqual(recordings)
  })

  it('recordings that the store refuses are an outage, so that they are not lost', async () => {
    await writing()
    answering('/_bulk', () => reply(200, { items: [{ index: { status: 400, error: { type: 'x' } } }] }))

    await expect(store.setRecordings(place, recordings)).rejects.toMatchObject({ code: 'search_unavailable' })
  })
})
