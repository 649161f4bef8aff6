/**
 * The restore of CDRs as docs/deploy.md has it, request by request, at a real OpenSearch. Its snapshots are in a
 * folder; those of the service are in S3, under the same name of the repository, which the service fills by itself.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { openSearchCdrAdmin } from '../../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import type { SearchPlan } from '../../core/cdr/search-plan.ts'
import { opened } from '../support/processes/opened.ts'
import { aCdr } from '../support/records/cdrs.ts'
import { environmentOf, fetchOpenSearch, startOpenSearch } from '../support/stores/opensearch-node.ts'

const fetched = await fetchOpenSearch()
const missing = 'missing' in fetched ? fetched.missing : undefined
if (missing !== undefined) console.warn(`the restore of CDRs is not rehearsed: ${missing}`)

/** A request of the page: method, path, and the body that stands in the line below. */
interface Request {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

/** The requests of the page on deployments, in its order, for a snapshot. */
function documentedRequests(snapshot: string): Request[] {
  const [, block = ''] =
    /```text\n(GET +\/_cat\/snapshots[\s\S]*?)```/.exec(readFileSync('docs/deploy.md', 'utf8')) ?? []
  const lines = [...block.matchAll(/^(GET|POST|DELETE) +(\S+)\n(?: +(\{.*\})\n)?/gm)]
  return lines.map(([, method = '', path = '', body]) => ({ method, path: path.replace('<snapshot>', snapshot), body }))
}

async function openNode() {
  const node = await startOpenSearch('folder' in fetched ? fetched.folder : '')
  const context = { env: environmentOf(node), clock: systemClock, random: systemRandomness }
  await openSearchCdrAdmin(context).prepare()
  const ask = async ({ method, path, body }: Request) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${node.endpoint}${path}`, { method, headers, ...(body && { body }) })
    return { status: answer.status, text: await answer.text() }
  }
  return { ...node, ask, store: openSearchCdrStore(context) }
}

/** A time in the month whose indices the page restores. */
const month = Date.UTC(2026, 10, 5)

const everyLeg: SearchPlan = {
  legs: ['a', 'b'],
  from: month,
  to: month + 86_400_000,
  query: { kind: 'bool', must: [], mustNot: [], should: [], leastShould: 0 },
  limit: 10,
  skip: 0,
  sort: [{ field: 'uuid', order: 'asc' }],
}

describe.skipIf(missing !== undefined)('a restore of CDRs', () => {
  const node = opened(openNode)

  it('the documented requests restore the CDRs of a snapshot, and a CDR that waited is indexed once afterwards', async () => {
    const { ask, store, snapshotFolder } = node()
    const cdrs = (['a', 'b'] as const).map((leg) =>
      aCdr({ leg, uuid: `kept-${leg}`, created_time: month, hangup_cause: 'NORMAL_CLEARING' }),
    )
    const take = (given: readonly (typeof cdrs)[number][]) =>
      store.index(given.map((cdr) => ({ source: 'event' as const, cdr })))
    const refresh = () => ask({ method: 'POST', path: '/_refresh', body: undefined })
    const found = async () => (await store.search(everyLeg, 10_000)).hits.map(({ cdr }) => cdr)
    await take(cdrs)
    await refresh()
    const before = await found()
    const repository = JSON.stringify({ type: 'fs', settings: { location: snapshotFolder } })
    await ask({ method: 'PUT', path: '/_snapshot/cs-automated-enc', body: repository })
    await ask({ method: 'PUT', path: '/_snapshot/cs-automated-enc/hourly?wait_for_completion=true', body: undefined })
    await ask({ method: 'POST', path: '/cdr-*/_delete_by_query?refresh=true', body: '{"query":{"match_all":{}}}' })
    expect(await found()).toEqual([])
    const [list, remove, restore, recovery] = documentedRequests('hourly')
    if (!list || !remove || !restore || !recovery) throw new Error('the page has four requests')

    expect((await ask(list)).text).toMatch(/^hourly +SUCCESS/m)
    expect(await ask(remove)).toMatchObject({ status: 200 })
    expect(await ask(restore)).toMatchObject({ status: 200, text: '{"accepted":true}' })
    await expect.poll(async () => (await ask(recovery)).text.trim().split('\n').length, { timeout: 30_000 }).toBe(1)

    const waited = aCdr({ leg: 'a', uuid: 'waited', created_time: month, hangup_cause: 'NORMAL_CLEARING' })
    expect(await take([waited, ...cdrs])).toEqual([])
    await refresh()
    expect((await found()).filter(({ uuid }) => uuid !== 'waited')).toEqual(before)
    expect((await found()).map(({ uuid }) => uuid)).toEqual(['kept-a', 'kept-b', 'waited'])
    const aliases = await ask({ method: 'GET', path: '/_alias/cdr-a', body: undefined })
    expect(aliases.text).toContain('"cdr-a-2026-11"')
  })

  it('a restore over an existing index is refused, so that a CDR that was written too early is not lost unnoticed', async () => {
    const { ask } = node()
    const [, , restore] = documentedRequests('hourly')
    if (restore === undefined) throw new Error('the page has a request that restores')

    const answer = await ask(restore)

    expect(answer.status).toBe(500)
    expect(answer.text).toContain('because an open index with same name already exists')
  })
})
