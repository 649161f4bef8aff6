/**
 * The store of CDRs, judged by a real OpenSearch: the contract suite of all its implementations, unchanged, and
 * searches drawn at random that the embedded server has to answer alike.
 */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { memoryCdrStore } from '../support/memory/memory-cdr-store.ts'
import { memoryState } from '../support/memory/memory-state.ts'
import { openSearchCdrAdmin } from '../../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import type { CdrStore } from '../../core/cdr/cdr-store.ts'
import type { SearchPlan } from '../../core/cdr/search-plan.ts'
import { generatedCdr } from '../../bench/search/generated-cdrs.ts'
import { type OpenCdrStore, cdrStoreContract } from '../contract/cdr-store.contract.ts'
import { aCdr, callTime } from '../support/records/cdrs.ts'
import { emptySearch } from '../support/stores/empty-search.ts'
import { generatedCdrs, generatedPlan } from '../support/records/generated-searches.ts'
import { opened } from '../support/processes/opened.ts'
import { environmentOf, fetchOpenSearch, startOpenSearch } from '../support/stores/opensearch-node.ts'
import { startSearchServer } from '../support/stores/search-server.ts'

/** A part of an index, as the server lists it. */
interface Segment {
  readonly num_docs: number
  readonly size_in_bytes: number
}

/** In a month of its own. */
const sizeTime = Date.UTC(2031, 4, 5)

const fetched = await fetchOpenSearch()
const missing = 'missing' in fetched ? fetched.missing : undefined
if (missing !== undefined) console.warn(`OpenSearch does not judge the store of CDRs: ${missing}`)

/** A node that has been with the store over it. */
async function openNode() {
  const node = await startOpenSearch('folder' in fetched ? fetched.folder : '')
  const env = environmentOf(node)
  const context = { env, clock: systemClock, random: systemRandomness }
  const admin = openSearchCdrAdmin(context)
  await admin.prepare()
  const ask = async (path: string, method = 'GET', body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${node.endpoint}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const parsed: unknown = await answer.json()
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(parsed)}`)
    return parsed
  }
  return {
    env,
    admin,
    ask,
    store: openSearchCdrStore(context),
    settle: async () => void (await ask('/_refresh', 'POST')),
    memoryMib: node.memoryMib,
    close: node.close,
  }
}

/** Returns the answer of a store, without fields that may differ from run to run. */
async function found(store: CdrStore, plan: SearchPlan) {
  const { tookMs: _took, shards: _shards, ...answer } = await store.search(plan, 60_000)
  return answer
}

describe.skipIf(missing !== undefined)('OpenSearch keeps the contract', () => {
  cdrStoreContract((): Promise<OpenCdrStore> => openNode())
})

describe.skipIf(missing !== undefined)('OpenSearch', () => {
  const node = opened(openNode)

  it('OpenSearch and the embedded server give the same hits, order, totals, aggregations and next pages for generated searches', async () => {
    const domain = 'generated.example.com'
    const server = await startSearchServer()
    const embedded = openSearchCdrStore({ env: server.env, clock: systemClock, random: systemRandomness })
    const { store: real, settle, env } = node()
    const searches = fc.array(generatedPlan(domain), { minLength: 60, maxLength: 60 })
    const property = fc.asyncProperty(generatedCdrs(domain), searches, async (cdrs, plans) => {
      const parts = cdrs.map((cdr) => ({ source: 'event' as const, cdr }))
      for (const each of [env, server.env]) await emptySearch(each, domain)
      for (const store of [real, embedded]) {
        expect(await store.index(parts)).toEqual([])
      }
      await settle()

      for (const plan of plans) {
        const expected = await found(real, plan)
        expect(await found(embedded, plan), JSON.stringify(plan)).toEqual(expected)
        const last = expected.hits.at(-1)?.sort
        if (last === undefined) continue
        const next = { ...plan, skip: 0, after: last }
        expect(await found(embedded, next), JSON.stringify(next)).toEqual(await found(real, next))
      }
    })

    // The same draws at each run: 1800 searches and their next pages.
    await fc.assert(property, { seed: 20_260_115, numRuns: 30, endOnFailure: true })
    await server.close()
  })

  it('OpenSearch is prepared once and again with the same outcome', async () => {
    const { admin, ask } = node()
    const before = await ask('/_index_template/cdr-*')

    await Promise.all([admin.prepare(), admin.prepare()])
    expect(await ask('/_index_template/cdr-*')).toEqual(before)
  })

  it('OpenSearch creates the index of a month at its first CDR, with the fields of the template and the alias of its leg', async () => {
    const { store, settle, ask } = node()
    const variables = { 'a.b': '1', 'tenants.own.name': '2' }
    const recordings = [{ name: 'call.wav', contentType: 'audio/wav', size: 5, state: 'stored' as const }]
    await store.index([{ source: 'event', cdr: aCdr({ leg: 'b', created_time: callTime, variables, recordings }) }])
    await settle()

    const months = (await ask('/_alias/cdr-b')) as Record<string, object>
    const [mapping] = Object.values((await ask('/cdr-b-2026-01/_mapping')) as Record<string, { mappings: object }>)
    const template = (await ask('/_index_template/cdr-b')) as {
      index_templates: { index_template: { template: { mappings: object } } }[]
    }

    expect(Object.keys(months)).toContain('cdr-b-2026-01')
    // No field was added, however tenants call their variables.
    expect(mapping?.mappings).toEqual({
      ...template.index_templates[0]?.index_template.template.mappings,
      dynamic: 'false',
    })
  })

  it('an existing index in OpenSearch gets the new fields of the template', async () => {
    const { admin, store, ask } = node()
    await ask('/_index_template/cdr-a', 'PUT', {
      index_patterns: ['cdr-a-*'],
      priority: 100,
      template: { mappings: { dynamic: false, properties: { uuid: { type: 'keyword', ignore_above: 8000 } } } },
    })
    const old = Date.UTC(2020, 1, 3)
    await store.index([{ source: 'event', cdr: aCdr({ created_time: old }) }])

    await admin.prepare()

    expect(JSON.stringify(await ask('/cdr-a-2020-02/_mapping'))).toContain('"hangup_cause":{"type":"keyword"')
  })

  it('a leg with thirty variables needs as much disk as the design page on CDRs says', async () => {
    const { store, ask } = node()
    const count = 20_000
    for (let from = 0; from < count; from += 1000) {
      const cdrs = Array.from({ length: 1000 }, (_, index) => generatedCdr(from + index))
      await store.index(cdrs.map((cdr) => ({ source: 'event', cdr: { ...cdr, leg: 'a', created_time: sizeTime } })))
    }
    await ask('/cdr-a-2031-05/_forcemerge?max_num_segments=1&flush=true', 'POST')

    await ask('/cdr-a-2031-05/_refresh', 'POST')
    // Statistics of the store may be ten seconds old; segments are listed as they are.
    const { indices } = (await ask('/cdr-a-2031-05/_segments')) as {
      indices: Record<string, { shards: Record<string, { segments: Record<string, Segment> }[]> }>
    }
    const segments = Object.values(indices)
      .flatMap(({ shards }) => Object.values(shards).flat())
      .flatMap((shard) => Object.values(shard.segments))
    const sum = (part: keyof Segment) => segments.reduce((all, segment) => all + segment[part], 0)
    const documented = Number(
      /a leg with thirty variables takes about (\d+) bytes/.exec(readFileSync('docs/design/cdr.md', 'utf8'))?.[1],
    )
    expect(sum('num_docs')).toBe(count)
    expect(sum('size_in_bytes') / count).toBeGreaterThan(documented * 0.8)
    expect(sum('size_in_bytes') / count).toBeLessThan(documented * 1.2)
  })

  it('OpenSearch and the store in memory give the same search results over 2000 CDRs of three domains, in bounded memory', async () => {
    const { store: real, settle, memoryMib } = node()
    const memory = memoryCdrStore({ state: memoryState() })
    const parts = Array.from({ length: 2000 }, (_, index) => {
      const created_time = callTime + ((index * 7919) % 2000) * 60_000
      const uuid = `many-${String(index).padStart(4, '0')}`
      const cdr = aCdr({ uuid, domain_name: `many-${index % 3}.example.com`, created_time, duration: index % 97 })
      return { source: 'event' as const, cdr }
    })
    for (const store of [real, memory]) expect(await store.index(parts)).toEqual([])
    await settle()

    const plan: SearchPlan = {
      legs: ['a'],
      from: callTime,
      to: callTime + 2000 * 60_000,
      query: {
        kind: 'bool',
        must: [
          { kind: 'range', field: 'duration', from: { value: 10, isInclusive: true } },
          { kind: 'prefix', field: 'domain_name', text: 'many-' },
        ],
        mustNot: [],
        should: [],
        leastShould: 0,
      },
      limit: 1000,
      skip: 500,
      sort: [
        { field: 'duration', order: 'desc' },
        { field: 'uuid', order: 'asc' },
      ],
      aggregations: { by: { kind: 'terms', field: 'domain_name', size: 10, leastCount: 1 } },
    }

    expect(await found(real, plan)).toEqual(await found(memory, plan))
    expect(memoryMib()).toBeLessThan(700)
    console.info(`OpenSearch: ${memoryMib()} MiB`)
  })
})
