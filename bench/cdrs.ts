import { setTimeout as pause } from 'node:timers/promises'
import type { AdapterContext } from '../adapters/context.ts'
import { systemRandomness } from '../adapters/crypto/system-randomness.ts'
import { dynamoDomainStore } from '../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { documentId, indexOf } from '../adapters/opensearch/indices.ts'
import { openSearchCdrAdmin } from '../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../adapters/opensearch/opensearch-cdr-store.ts'
import { toStored } from '../adapters/opensearch/stored-cdr.ts'
import { systemClock } from '../adapters/system/system-time.ts'
import { searchDomains } from '../contracts/resources.ts'
import { cdrFromEvent } from '../core/cdr/cdr-from-event.ts'
import { keptFields } from '../core/cdr/kept-fields.ts'
import { mergeCdr } from '../core/cdr/merge-cdr.ts'
import type { SearchPlan } from '../core/cdr/search-plan.ts'
import { bareRequest } from './bare-request.ts'
import { endOfLeg } from './cdrs/ends.ts'
import { type BenchConnector, type Ends, openConnector } from './cdrs/open-connector.ts'
import { type CdrPlatform, openPlatform } from './cdrs/open-platform.ts'
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
 * platform of a laptop; and the CPU of a CDR in the connector and in the platform's process, over that of a bare signed
 * bulk request.
 */
export async function benchCdrs(): Promise<Figures> {
  const state = temporaryState()
  try {
    const platform = await openPlatform(state.path)
    try {
      const connector = await openConnector(platform.connectorEnv)
      try {
        return await measured({ platform, connector })
      } finally {
        await connector.close()
      }
    } finally {
      await platform.close()
    }
  } finally {
    state.remove()
  }
}

interface Path {
  readonly platform: CdrPlatform
  readonly connector: BenchConnector
}

async function measured(path: Path): Promise<Figures> {
  const context = contextOf(path.platform.platformEnv)
  await openSearchCdrAdmin(context).prepare()
  for (const name of domains) await dynamoDomainStore(context).create(domainOf(name))
  // Until everything is compiled.
  await endToEnd(path, { from: 0, count: looked })
  const perSecond = await endToEnd(path, { from: looked, count: amount })
  const { sendCpuMs, indexCpuMs } = await apart(path, { from: looked + amount, count: looked })
  const bareMs = await bareCpuMs(contextOf(path.platform.functionEnv), { from: 2 * looked + amount, count: looked })
  return {
    cdrsPerSecond: perSecond,
    cdrSendCpuMs: sendCpuMs,
    cdrIndexCpuMs: indexCpuMs,
    cdrCpuRatio: (sendCpuMs + indexCpuMs) / bareMs,
  }
}

/** CDRs a second, from the first end that is read to the moment at which a search finds all. */
async function endToEnd({ platform, connector }: Path, ends: Ends): Promise<number> {
  const before = await found(platform)
  const startedAt = performance.now()
  const indexing = platform.index(ends.count)
  await connector.relay(ends)
  await indexing
  while ((await found(platform)) < before + ends.count) await pause(5)
  const seconds = (performance.now() - startedAt) / 1000
  await platform.pause()
  return ends.count / seconds
}

/**
 * CPU milliseconds for each CDR: of the connector until it is queued, then of the platform from the queue to the index.
 */
async function apart({ platform, connector }: Path, ends: Ends): Promise<{ sendCpuMs: number; indexCpuMs: number }> {
  const sendCpuMs = await connector.relay(ends)
  await platform.index(ends.count)
  const indexCpuMs = await platform.pause()
  return { sendCpuMs: sendCpuMs / ends.count, indexCpuMs: indexCpuMs / ends.count }
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

async function found({ platformEnv }: CdrPlatform): Promise<number> {
  const store = openSearchCdrStore(contextOf(platformEnv))
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
