import { setTimeout as pause } from 'node:timers/promises'
import type { AdapterContext } from '../adapters/context.ts'
import { systemRandomness } from '../adapters/crypto/system-randomness.ts'
import { dynamoDomainStore } from '../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { documentId, indexOf } from '../adapters/opensearch/indices.ts'
import { openSearchCdrAdmin } from '../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../adapters/opensearch/opensearch-cdr-store.ts'
import { toStored } from '../adapters/opensearch/stored-cdr.ts'
import { systemClock } from '../adapters/system/system-clock.ts'
import { searchDomains } from '../contracts/resources.ts'
import { cdrFromEvent } from '../core/cdr/cdr-from-event.ts'
import { keptFields } from '../core/cdr/kept-fields.ts'
import { mergeCdr } from '../core/cdr/merge-cdr.ts'
import type { SearchPlan } from '../core/cdr/search-plan.ts'
import { bareRequest } from './bare-request.ts'
import { startCdrWorker } from './cdrs/cdr-worker.ts'
import { endOfLeg } from './cdrs/ends.ts'
import { type BenchConnector, type Ends, openConnector } from './cdrs/open-connector.ts'
import { type BenchStores, openStores } from './cdrs/open-stores.ts'
import { domains } from './esl/whole-path.ts'
import type { Figures } from './figures.ts'
import { temporaryState } from './platform.ts'

const amount = Number(process.env['BENCH_ENDS'] ?? 20_000)
/** Ends whose CPU is looked at, first sent and then indexed. */
const looked = Math.ceil(amount / 4)
/** CDRs of a bare request, as many as a batch has. */
const bulkSize = 10

/**
 * How many CDRs a second come from the end of a leg, as the connector reads it, to where searches find them, over the
 * stores and the queue of a laptop; and the CPU of a CDR in the connector and the worker, over that of a bare signed
 * bulk request.
 */
export async function benchCdrs(): Promise<Figures> {
  const state = temporaryState()
  try {
    const stores = await openStores(state.path)
    try {
      const connector = await openConnector(stores.connectorEnv)
      try {
        return await measured(stores, connector)
      } finally {
        await connector.close()
      }
    } finally {
      await stores.close()
    }
  } finally {
    state.remove()
  }
}

async function measured(stores: BenchStores, connector: BenchConnector): Promise<Figures> {
  const platform = contextOf(stores.platformEnv)
  await openSearchCdrAdmin(platform).prepare()
  for (const name of domains) await dynamoDomainStore(platform).create(domainOf(name))
  // Until everything is compiled.
  await endToEnd({ stores, connector }, { from: 0, count: looked })
  const { perSecond, storesCpuMs } = await endToEnd({ stores, connector }, { from: looked, count: amount })
  const { sendCpuMs, workCpuMs } = await apart({ stores, connector }, { from: looked + amount, count: looked })
  const bareMs = await bareCpuMs(contextOf(stores.workerEnv), { from: 2 * looked + amount, count: looked })
  return {
    cdrsPerSecond: perSecond,
    cdrSendCpuMs: sendCpuMs,
    cdrIndexCpuMs: workCpuMs,
    cdrStoresCpuMs: storesCpuMs,
    cdrCpuRatio: (sendCpuMs + workCpuMs) / bareMs,
  }
}

/** The processes on the way of a CDR. */
interface Path {
  readonly stores: BenchStores
  readonly connector: BenchConnector
}

/** From the first end that is read to the moment at which a search finds all. */
async function endToEnd({ stores, connector }: Path, ends: Ends): Promise<{ perSecond: number; storesCpuMs: number }> {
  const before = { cpuMs: await stores.cpuMs(), found: await found(stores) }
  const startedAt = performance.now()
  const indexing = index(stores, ends.count)
  await connector.relay(ends)
  await indexing
  while ((await found(stores)) < before.found + ends.count) await pause(5)
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond: ends.count / seconds, storesCpuMs: ((await stores.cpuMs()) - before.cpuMs) / ends.count }
}

/** CPU milliseconds for each CDR: of the connector until it is queued, and of this process from the queue to the index. */
async function apart({ stores, connector }: Path, ends: Ends): Promise<{ sendCpuMs: number; workCpuMs: number }> {
  const sendCpuMs = await connector.relay(ends)
  const workCpuMs = await cpuOf(() => index(stores, ends.count))
  return { sendCpuMs: sendCpuMs / ends.count, workCpuMs: workCpuMs / ends.count }
}

/** Lets the worker take so many messages. */
async function index(stores: BenchStores, count: number): Promise<void> {
  const all = Promise.withResolvers<void>()
  let done = 0
  const worker = startCdrWorker(stores, (messages) => {
    done += messages
    if (done >= count) all.resolve()
  })
  await all.promise
  await worker.stop()
}

/** CPU milliseconds of this process for each CDR that is sent in bare signed bulk requests, one after another. */
async function bareCpuMs(context: AdapterContext, { from, count }: Ends): Promise<number> {
  const documents = Array.from({ length: count }, (_, offset) => documentOf(from + offset))
  const cpuMs = await cpuOf(async () => {
    for (let at = 0; at < count; at += bulkSize) {
      const lines = documents
        .slice(at, at + bulkSize)
        .map(({ place, document }) => `${JSON.stringify({ create: place })}\n${JSON.stringify(document)}\n`)
      const answer = await bareRequest(context.env, {
        service: 'es',
        endpoint: context.env[searchDomains.cdr.variable] ?? '',
        path: '/_bulk',
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines.join(''),
      })
      JSON.parse(answer.body)
      if (answer.status !== 200) throw new Error(`the search server answered ${answer.status}`)
    }
  })
  return cpuMs / count
}

/** The document that comes of an end. */
function documentOf(number: number) {
  const event = endOfLeg(number)
  const domain = event.header('variable_domain_name') ?? ''
  const part = cdrFromEvent({
    domain,
    uuid: event.uuid,
    occurredAt: systemClock.now(),
    fields: keptFields(event.headers()),
  })
  if (part === undefined) throw new Error('an end that is no CDR')
  const { cdr } = part
  const place = { _index: indexOf(cdr.leg, cdr.created_time), _id: documentId(cdr), routing: cdr.domain_name }
  return { place, document: toStored(mergeCdr(undefined, part)) }
}

/** How many CDRs searches of all domains find. */
async function found(stores: BenchStores): Promise<number> {
  const store = openSearchCdrStore(contextOf(stores.platformEnv))
  const plan: Omit<SearchPlan, 'domain'> = {
    legs: ['a', 'b'],
    from: Date.UTC(2026, 0, 1),
    to: Date.UTC(2027, 0, 1),
    query: { kind: 'all' },
    limit: 0,
    skip: 0,
    sort: [{ field: 'uuid', order: 'asc' }],
  }
  const answers = await Promise.all(domains.map((domain) => store.search({ ...plan, domain }, 10_000)))
  if (answers.some(({ isLeast }) => isLeast)) throw new Error('a domain has more CDRs than are counted')
  return answers.reduce((sum, { total }) => sum + total, 0)
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function contextOf(env: Readonly<Record<string, string>>): AdapterContext {
  return { env, clock: systemClock, random: systemRandomness }
}

function domainOf(name: string) {
  return {
    name,
    customerId: '',
    variables: {},
    parameters: {},
    createdAt: 0,
    creationId: systemRandomness.uuid(),
    accountCount: 0,
    version: 1,
  }
}
