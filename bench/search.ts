import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'
import type { AdapterContext } from '../adapters/context.ts'
import { systemRandomness } from '../adapters/crypto/system-randomness.ts'
import { writeDocuments } from '../adapters/opensearch/documents.ts'
import { documentId, indexOf, indicesOf } from '../adapters/opensearch/indices.ts'
import { openSearchCdrAdmin } from '../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../adapters/opensearch/opensearch-cdr-store.ts'
import { searchBody } from '../adapters/opensearch/search-body.ts'
import { toStored } from '../adapters/opensearch/stored-cdr.ts'
import { systemClock } from '../adapters/system/system-time.ts'
import { searchDomains } from '../contracts/resources.ts'
import { mergeCdr } from '../core/cdr/merge-cdr.ts'
import type { SearchPlan } from '../core/cdr/search-plan.ts'
import { bareRequest } from './bare-request.ts'
import { type Figures, percentile } from './figures.ts'
import { temporaryState } from './platform.ts'
import { dayMs, days, drawing, endOfDays, generatedCdr, tenantName, tenants } from './search/generated-cdrs.ts'

const amount = Number(process.env['BENCH_CDRS'] ?? 1_000_000)
const bulkSize = 1_000
/** CDRs that are written by the adapter, which reads and merges first. */
const indexed = Math.min(20_000, amount)
const searches = 1_000
const rounds = 5

/**
 * Measures the search of a tenant's week, newest first, 100 rows, among a million CDRs of the embedded server and its
 * gate; how many CDRs a second are indexed; and what the adapter costs above a signed request whose answer is parsed.
 */
export async function benchSearch(): Promise<Figures> {
  const state = temporaryState()
  const server = fork(new URL('search/server.ts', import.meta.url), [`${state.path}/search.sqlite`])
  try {
    const [message] = await once(server, 'message')
    const { url, credential } = z.parse(opened, message)
    const context: AdapterContext = {
      env: {
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: credential.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credential.secretAccessKey,
        AWS_SESSION_TOKEN: credential.sessionToken,
        [searchDomains.cdr.variable]: url,
      },
      clock: systemClock,
      random: systemRandomness,
    }
    await openSearchCdrAdmin(context).prepare()
    const loadedPerSecond = await load(context)
    const indexedPerSecond = await index(context)
    const byAdapter = await timed((plan) => openSearchCdrStore(context).search(plan, 10_000))
    return {
      searchLoadedPerSecond: loadedPerSecond,
      searchIndexedPerSecond: indexedPerSecond,
      searchP50Ms: percentile(byAdapter, 0.5),
      searchP99Ms: percentile(byAdapter, 0.99),
      ...(await cost(context)),
    }
  } finally {
    server.kill()
    await once(server, 'exit')
    state.remove()
  }
}

const opened = z.object({
  url: z.string(),
  credential: z.object({ accessKeyId: z.string(), secretAccessKey: z.string(), sessionToken: z.string() }),
})

/** Loads all but those that {@link index} writes, in bulk; answers how many a second. */
async function load(context: AdapterContext): Promise<number> {
  const startedAt = performance.now()
  for (let from = indexed; from < amount; from += bulkSize) {
    const writes = Array.from({ length: Math.min(bulkSize, amount - from) }, (_, offset) => {
      const cdr = generatedCdr(from + offset)
      const place = {
        index: indexOf(cdr.leg, cdr.created_time),
        id: documentId(cdr),
        routing: cdr.domain_name,
      }
      return { place, document: toStored(mergeCdr(undefined, { source: 'event', cdr })), over: undefined }
    })
    const written = await writeDocuments(context, writes)
    if (written.some((outcome) => outcome !== 'done')) throw new Error('a CDR was not written')
  }
  return ((amount - indexed) * 1000) / (performance.now() - startedAt)
}

/** Writes parts as the worker does, ten a time, four at once; answers how many a second. */
async function index(context: AdapterContext): Promise<number> {
  const store = openSearchCdrStore(context)
  const startedAt = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < indexed) {
      const from = next
      next += 10
      await store.index(
        Array.from({ length: 10 }, (_, offset) => ({ source: 'event', cdr: generatedCdr(from + offset) })),
      )
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  return (indexed * 1000) / (performance.now() - startedAt)
}

/** A week of a tenant; every other search is of the one with most CDRs. */
function planOf(index: number): SearchPlan {
  const draw = drawing(index + 77)
  const to = endOfDays - Math.floor(draw() * (days - 7) * dayMs)
  return {
    domain: tenantName(index % 2 === 0 ? 0 : 1 + Math.floor(draw() * (tenants - 1))),
    legs: ['a'],
    from: to - 7 * dayMs,
    to,
    query: { kind: 'all' },
    limit: 100,
    skip: 0,
    sort: [
      { field: 'created_time', order: 'desc' },
      { field: 'uuid', order: 'asc' },
    ],
  }
}

/** Milliseconds of each search, one after another; those of the first tenth are left out. */
async function timed(search: (plan: SearchPlan) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let number = 0; number < searches; number += 1) {
    const startedAt = performance.now()
    await search(planOf(number))
    samples.push(performance.now() - startedAt)
  }
  return samples.slice(searches / 10)
}

/** CPU milliseconds of this process for a search by the adapter and by a bare signed request, in turns; the medians. */
async function cost(context: AdapterContext): Promise<Figures> {
  const store = openSearchCdrStore(context)
  const bare = async (plan: SearchPlan): Promise<void> => {
    const answer = await bareRequest(context.env, {
      service: 'es',
      endpoint: context.env[searchDomains.cdr.variable] ?? '',
      path: `/${indicesOf(plan.legs, plan.from, plan.to)}/_search`,
      query: { ignore_unavailable: 'true', allow_no_indices: 'true', routing: plan.domain ?? '' },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(searchBody(plan, 9_500)),
    })
    JSON.parse(answer.body)
  }
  const [byAdapter, byBare]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    byBare.push(await cpuOf(bare))
    byAdapter.push(await cpuOf((plan) => store.search(plan, 10_000)))
  }
  const [adapterMs, bareMs] = [percentile(byAdapter, 0.5), percentile(byBare, 0.5)]
  return { searchCpuMs: adapterMs, searchCpuRatio: adapterMs / bareMs }
}

async function cpuOf(search: (plan: SearchPlan) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let number = 0; number < searches / 2; number += 1) await search(planOf(number))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / (searches / 2)
}
