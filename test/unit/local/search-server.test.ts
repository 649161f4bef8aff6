import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { answerRequest } from '../../../local/stores/search/answer-request.ts'
import { openDatabase } from '../../../local/stores/search/database.ts'
import { startEmbeddedSearch } from '../../../local/stores/search/search-store.ts'
import { matchesWildcard } from '../../../local/stores/search/wildcard.ts'

const folder = mkdtempSync(join(tmpdir(), 'callplane-search-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A server without a thread, with its template. */
function server() {
  const database = openDatabase(':memory:')
  const ask = (method: string, path: string, body: unknown = '', query = '') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const reply = answerRequest(database, { method, path, query, body: text })
    return { status: reply.status, body: JSON.parse(reply.body) }
  }
  ask('PUT', '/_index_template/cdr', { index_patterns: ['cdr-*'] })
  return { ask, database }
}

const target = { _index: 'cdr-a-2026-01', _id: 'a:1', routing: 'a' }
const document = { uuid: '1', domain_name: 'a', leg: 'a', created_time: 1, any: [], pairs: [], variables: {}, kept: {} }

const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const create = (given: object = {}, at: object = {}) =>
  lines({ create: { ...target, ...at } }, { ...document, ...given })

describe('the search server', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/_cat/indices'],
    ['GET', '/cdr-a-2026-01/_search'],
    ['POST', '/_search'],
    ['POST', '/_all/_delete_by_query'],
    ['PUT', '/cdr-a-2026-01/_doc/1'],
    ['DELETE', '/cdr-a-2026-01'],
    ['PUT', '/_plugins/_ism/policies/x'],
  ])('the search server does not support %s %s', (method, path) => {
    const { status, body } = server().ask(method, path, {})

    expect(status).toBe(400)
    expect(body.error.reason).toBe(`no handler found for uri [${path}] and method [${method}]`)
  })

  it.each([
    ['a script', { query: { script: { script: '1' } } }],
    ['a query text', { query: { query_string: { query: '*' } } }],
    ['two queries in one', { query: { match_all: {}, match_none: {} } }],
    ['an option of a term', { query: { term: { uuid: { value: '1', case_insensitive: true } } } }],
    ['a text for a number', { query: { term: { duration: { value: 'long' } } } }],
    ['a prefix of a number', { query: { prefix: { duration: { value: '1' } } } }],
    ['a member of the body', { script_fields: {} }],
    ['an order by an unknown field', { sort: [{ _script: { order: 'asc' } }] }],
    ['a sum of texts', { aggs: { all: { sum: { field: 'uuid' } } } }],
    ['an aggregation', { aggs: { all: { scripted_metric: {} } } }],
    ['a window that is too large', { size: 10_001 }],
    ['a place after a hit, and hits passed over', { from: 1, search_after: [1], sort: [{ uuid: { order: 'asc' } }] }],
    ['a place after a hit without its order', { search_after: [1] }],
    ['a body that is no object', [1]],
    ['a body that is no JSON', '{'],
  ])('the search server refuses %s', (_title, body) => {
    const { ask } = server()
    ask('POST', '/_bulk', create())

    const answer = ask('POST', '/cdr-*/_search', body)

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ status: 400, error: { type: expect.any(String), reason: expect.any(String) } })
  })

  it('the search server treats SQL in values and names as text', () => {
    const { ask } = server()
    ask('POST', '/_bulk', create({ gateway: "x'; DROP TABLE c; --" }))
    const find = (query: object) => ask('POST', '/cdr-*/_search', { query }).body.hits.total.value

    expect(find({ term: { gateway: { value: "x'; DROP TABLE c; --" } } })).toBe(1)
    expect(find({ term: { "gateway' OR 1=1 --": { value: 'x' } } })).toBe(0)
    expect(find({ prefix: { gateway: { value: "' OR '1" } } })).toBe(0)
    expect(find({ exists: { field: 'row' } })).toBe(0)
  })

  it('the search server creates an index with its first document if a template matches', () => {
    const { ask } = server()

    const { body } = ask('POST', '/_bulk', create() + create({}, { _index: 'other' }))

    expect(body.items[0].create).toMatchObject({ status: 201, result: 'created' })
    expect(body.items[1].create).toMatchObject({ status: 404, error: { type: 'index_not_found_exception' } })
    expect(ask('POST', '/other/_search', {}).status).toBe(404)
    expect(ask('POST', '/other/_search', {}, 'ignore_unavailable=true').status).toBe(200)
  })

  it('the search server accepts a write only if the document is still in the state that was read', () => {
    const { ask } = server()
    const statusOf = (body: string) =>
      Object.values<{ status: number }>(ask('POST', '/_bulk', body).body.items[0])[0]?.status
    const over = (if_seq_no: number) => lines({ index: { ...target, if_seq_no, if_primary_term: 1 } }, document)
    const seqNo = () => ask('POST', '/_mget', { docs: [target] }).body.docs[0]._seq_no

    expect(statusOf(over(1))).toBe(409)
    expect(statusOf(create())).toBe(201)
    expect(statusOf(create())).toBe(409)
    const first = seqNo()
    expect(statusOf(over(first))).toBe(200)
    expect(statusOf(over(first))).toBe(409)
    expect(statusOf(over(seqNo()))).toBe(200)
  })

  it.each([
    ['a text in a number', { duration: 'long' }],
    ['several values in a field with one column', { gateway: ['x', 'y'] }],
    ['no domain', { domain_name: undefined }],
    ['an object in a text', { gateway: {} }],
  ])('the search server refuses a document with %s, and no other of its request', (_title, given) => {
    const { ask } = server()

    const { body } = ask('POST', '/_bulk', create(given) + create({}, { _id: 'a:2' }))

    expect(body.errors).toBe(true)
    expect(body.items[0].create).toMatchObject({ status: 400, error: { type: 'mapper_parsing_exception' } })
    expect(body.items[1].create.status).toBe(201)
  })

  it.each([
    ['no newline at its end', create().trimEnd()],
    ['another action', lines({ delete: target }, {})],
    ['no routing', lines({ create: { ...target, routing: undefined } }, document)],
    ['no document', lines({ create: target })],
  ])('the search server does not write a request with %s', (_title, body) => {
    const { ask } = server()

    ask('POST', '/_bulk', body)

    expect(ask('POST', '/cdr-*/_search', {}).body.hits.total.value).toBe(0)
  })

  it('the search server stores a text above 8000 characters and does not find it by search', () => {
    const { ask } = server()
    const long = 'x'.repeat(8001)
    ask('POST', '/_bulk', create({ gateway: long, any: [long, 'short'] }))
    const find = (query: object) => ask('POST', '/cdr-*/_search', { query }).body.hits.hits

    expect(find({ match_all: {} })[0]._source.gateway).toBe(long)
    expect(find({ exists: { field: 'gateway' } })).toEqual([])
    expect(find({ prefix: { any: { value: 'x' } } })).toEqual([])
    expect(find({ term: { any: { value: 'short' } } })).toHaveLength(1)
  })

  it('the search server counts hits exactly as far as requested', () => {
    const { ask } = server()
    ask('POST', '/_bulk', ['1', '2', '3'].map((id) => create({ uuid: id }, { _id: `a:${id}` })).join(''))
    const total = (track_total_hits: number) => ask('POST', '/cdr-*/_search', { track_total_hits }).body.hits.total

    expect(total(3)).toEqual({ value: 3, relation: 'eq' })
    expect(total(2)).toEqual({ value: 2, relation: 'gte' })
  })

  it('the search server ends a search when its time is over, and says so', () => {
    const { ask } = server()
    const many = Array.from({ length: 600 }, (_, index) => create({ uuid: `${index}` }, { _id: `a:${index}` }))
    ask('POST', '/_bulk', many.join(''))
    const search = (timeout: string) => ask('POST', '/cdr-*/_search', { query: { match_all: {} }, timeout }).body

    expect(search('0ms')).toMatchObject({ timed_out: true, hits: { total: { relation: 'gte' }, hits: [] } })
    expect(search('10s')).toMatchObject({ timed_out: false, hits: { total: { value: 600 } } })
  })

  it('the search server keeps no more buckets than fit into memory', () => {
    const { ask } = server()
    ask('POST', '/_bulk', create({ duration: 0 }) + create({ uuid: '2', duration: 1_000_000 }, { _id: 'a:2' }))
    const histogram = (interval: number) => ({ histogram: { field: 'duration', interval, min_doc_count: 0 } })
    const search = (aggs: object) => ask('POST', '/cdr-*/_search', { size: 0, aggs })

    expect(search({ all: histogram(1_000_000 / 60_000) }).status).toBe(200)
    expect(search({ all: histogram(10) }).body.error.type).toBe('too_many_buckets_exception')
    const nested = {
      all: {
        ...histogram(20),
        aggs: {
          all: { ...histogram(20) },
          more: { filters: { filters: { a: { match_all: {} }, b: { match_all: {} }, c: { match_all: {} } } } },
        },
      },
    }
    expect(search(nested).body.error.reason).toContain('200000 buckets')
  })

  it('the search server removes at most as many documents as requested', () => {
    const { ask } = server()
    ask('POST', '/_bulk', ['1', '2', '3'].map((id) => create({ uuid: id }, { _id: `a:${id}` })).join(''))
    const query = { term: { domain_name: { value: 'a' } } }

    const removals = [1, 2, 3].map(() => ask('POST', '/cdr-*/_delete_by_query', { query }, 'max_docs=2').body.deleted)

    expect(removals).toEqual([2, 1, 0])
    expect(ask('POST', '/cdr-*/_search', {}).body.hits.total.value).toBe(0)
    expect(ask('POST', '/_mget', { docs: [target] }).body.docs[0]).toMatchObject({ found: false })
  })

  it('the search server reads a list by time from its index only', () => {
    const { database } = server()
    const sql = `EXPLAIN QUERY PLAN SELECT c.row FROM c WHERE tick(c.row) AND c.domain_name IN (?) AND c.leg IN (?)
      AND c.created_time >= ? AND c.created_time <= ? ORDER BY c.created_time desc, c.uuid asc LIMIT 100`

    const plan = database.all(sql, 'a', 'a', 1, 2).map(({ detail }) => detail)

    expect(plan).toEqual([
      'SEARCH c USING COVERING INDEX by_time (domain_name=? AND created_time>? AND created_time<?)',
    ])
  })
})

describe('the search store in its thread', () => {
  it('the restarted search store has everything that it had confirmed, and the sequence numbers of writes continue', async () => {
    const file = join(folder, 'kept.sqlite')
    const ask = async (requests: readonly (readonly [string, string, string])[]) => {
      const store = await startEmbeddedSearch(file)
      const replies = await Promise.all(
        requests.map(([method, path, body]) => store.answer({ method, path, query: '', body })),
      )
      await store.close()
      return replies.map(({ body }) => JSON.parse(body))
    }
    await ask([
      ['PUT', '/_index_template/cdr', '{"index_patterns":["cdr-*"]}'],
      ['POST', '/_bulk', create()],
    ])
    const [found, , read] = await ask([
      ['POST', '/cdr-*/_search', '{}'],
      ['POST', '/_bulk', create({ uuid: '2' }, { _id: 'a:2' })],
      ['POST', '/_mget', JSON.stringify({ docs: [target, { ...target, _id: 'a:2' }] })],
    ])

    expect(found.hits.hits).toMatchObject([{ _index: 'cdr-a-2026-01', _id: 'a:1', _source: { uuid: '1' } }])
    const [one, two] = read.docs
    expect(two._seq_no).toBeGreaterThan(one._seq_no)
  })

  it('the search store names a file that cannot be opened', async () => {
    const file = join(folder, 'damaged.sqlite')
    writeFileSync(file, 'this is no database at all, and long enough to be looked at')

    await expect(startEmbeddedSearch(file)).rejects.toThrow(`the search store in ${file} cannot be opened`)
  })

  it('a closed search store answers that it is closed', async () => {
    const store = await startEmbeddedSearch(':memory:')
    const health = { method: 'GET', path: '/_cluster/health', query: '', body: '' }
    expect((await store.answer(health)).status).toBe(200)

    await store.close()

    expect((await store.answer(health)).status).toBe(503)
    await store.close()
  })

  it('the search store starts a new thread on the same file after the previous one died', async () => {
    const store = await startEmbeddedSearch(join(folder, 'again.sqlite'))
    const ask = (method: string, path: string, body: string) => store.answer({ method, path, query: '', body })
    await ask('PUT', '/_index_template/cdr', '{"index_patterns":["cdr-*"]}')
    await ask('POST', '/_bulk', create())
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    // The thread does not survive what is no request.
    const broken = Object.assign({ query: '', body: '', path: '/' }, { method: JSON.parse('1') })

    expect((await store.answer(broken)).status).toBe(503)

    expect(JSON.parse((await ask('POST', '/cdr-*/_search', '{}')).body).hits.total.value).toBe(1)
    expect(error).toHaveBeenCalledOnce()
    error.mockRestore()
    await store.close()
  })

  it('the search store lets a thousand requests wait and refuses more', async () => {
    const store = await startEmbeddedSearch(':memory:')
    const health = { method: 'GET', path: '/_cluster/health', query: '', body: '' }

    const replies = await Promise.all(Array.from({ length: 1001 }, () => store.answer(health)))

    expect(replies.filter(({ status }) => status === 429)).toHaveLength(1)
    await store.close()
  })
})

describe('a query', () => {
  const search = (query: object) => {
    const { ask } = server()
    ask('POST', '/_bulk', create({ any: ['v7'], pairs: ['x=v7'], duration: 7 }))
    const { status, body } = ask('POST', '/cdr-*/_search', { query })
    return status === 200 ? body.hits.total.value : body.error.type
  }
  const values = (length: number) => Array.from({ length }, (_, index) => index)
  const either = (should: object[]) => ({ bool: { should, minimum_should_match: 1 } })

  it.each([
    ['1000 values of any field', { terms: { any: values(1000).map((value) => `v${value}`) } }],
    ['1000 values of variables', { terms: { pairs: values(1000).map((value) => `x=v${value}`) } }],
    ['50 000 values of a number', { terms: { duration: values(50_000) } }],
    ['1000 alternatives', either(values(1000).map((gte) => ({ range: { duration: { gte, lte: gte } } })))],
  ])('a query finds documents that have one of %s', (_title, query) => {
    expect(search(query)).toBe(1)
  })

  it('a query with more values than a statement can have is refused, and is no failure of the store', () => {
    const alternatives = values(20_000).map((gte) => ({ range: { duration: { gte, lte: gte } } }))

    expect(search(either(alternatives))).toBe('too_many_nested_clauses')
  })
})

describe('the time of a search', () => {
  it('a search whose time is over ends at the next row, and a single row can take seconds', () => {
    const { ask } = server()
    ask('POST', '/_bulk', create({ any: ['x'] }))
    const query = { wildcard: { any: { value: 'x*' } } }

    expect(ask('POST', '/cdr-*/_search', { query, timeout: '0ms' }).body).toMatchObject({ timed_out: true })
    expect(ask('POST', '/cdr-*/_search', { query, timeout: '1m' }).body).toMatchObject({ timed_out: false })
  })
})

describe('a wildcard pattern', () => {
  it('a wildcard pattern uses no memory for the rows that it does not match', async () => {
    const store = await startEmbeddedSearch(':memory:')
    const ask = (method: string, path: string, body: string) => store.answer({ method, path, query: '', body })
    await ask('PUT', '/_index_template/cdr', JSON.stringify({ index_patterns: ['cdr-*'] }))
    const rows = Array.from({ length: 3000 }, (_, row) => create({ any: [`${row}`] }, { _id: `a:${row}` }))
    await ask('POST', '/_bulk', rows.join(''))
    const patterns = Array.from({ length: 90 }, (_, index) => ({
      wildcard: { any: { value: `*${index}${'ab'.repeat(500)}` } },
    }))
    const query = { bool: { should: patterns, must_not: patterns, minimum_should_match: 1 } }

    // SQLite keeps a function's arguments until its statement is over: some 300 MB here, of the 192 that a thread has.
    const { status } = await ask('POST', '/cdr-*/_search', JSON.stringify({ query }))

    expect(status).toBe(200)
    await store.close()
  })

  it.each([
    ['*0001', '440001', true],
    ['4?1', '4😀1', true],
    ['4?1', '41', false],
    [String.raw`a\*b`, 'a*b', true],
    [String.raw`a\*b`, 'axb', false],
    [String.raw`a\?[b]`, 'a?[b]', true],
    ['[ab]', 'a', false],
    ['x?y', 'x\u001fy', true],
    ['x\u001f*', 'x\u001fy', true],
    ['Ä*', 'äx', false],
  ])('the pattern %j matches %j in a field with one value and in one with several: %j', (pattern, value, fits) => {
    const { ask } = server()
    ask('POST', '/_bulk', create({ any: ['other', value, 'last'], gateway: value }))
    const found = ['any', 'gateway'].map((field) => {
      const query = { wildcard: { [field]: { value: pattern } } }
      return ask('POST', '/cdr-*/_search', { query }).body.hits.total.value
    })

    expect(found).toEqual(fits ? [1, 1] : [0, 0])
  })

  it('a wildcard pattern is matched in a time that does not grow with its stars', () => {
    expect(matchesWildcard(`${'*a'.repeat(500)}b`, 'a'.repeat(5000))).toBe(false)
  })
})
