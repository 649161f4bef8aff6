/** CDRs and recordings of a deleted domain are kept; a later tenant of the name finds none of them. */
import { describe, expect, it } from 'vitest'
import { handler as beginExport } from '../../../functions/cdr/begin-export.ts'
import { handler as listOtherLegs } from '../../../functions/cdr/list-other-legs.ts'
import { handler as readCdr } from '../../../functions/cdr/read-cdr.ts'
import { handler as readExport } from '../../../functions/cdr/read-export.ts'
import { handler as scrollCdrs } from '../../../functions/cdr/scroll-cdrs.ts'
import { handler as searchCdrs } from '../../../functions/cdr/search-cdrs.ts'
import { handler as writeExport } from '../../../functions/cdr/write-export.ts'
import { handler as cleanUp } from '../../../functions/domains/clean-up-domain.ts'
import { handler as remove } from '../../../functions/domains/delete-domain.ts'
import { handler as deleteRecordings } from '../../../functions/recordings/delete-recordings.ts'
import { handler as holdRecordings } from '../../../functions/recordings/hold-recordings.ts'
import { handler as readRecording } from '../../../functions/recordings/read-recording.ts'
import { type Api, aContext, anApi } from '../../support/platform/api.ts'
import { aBatch } from '../../support/records/queue-batch.ts'
import { aDomain } from '../../support/records/records.ts'
import { plantCdr, plantRecording } from '../../support/platform/tenant.ts'

const domain = 'a.example.com'
const [theirs, other, mine] = ['1', '2', '3'].map((last) => `6f1c7a1e-6a1e-4b1d-9f0e-00000000000${last}`)
const everything = { leg: '*', limit: 1000 }

type Headers = Record<string, string>

/** Lets the clean-up function work until the domain is gone. */
async function finishDeletion({ ports, tools, clock }: Api): Promise<void> {
  for (let message = ports.cleanups.queued.shift(); message; message = ports.cleanups.queued.shift()) {
    const { delaySeconds, ...queued } = message
    clock.move(delaySeconds * 1000)
    const answer = await cleanUp.over(ports, tools)(aBatch([{ version: 1, ...queued }]), aContext)
    expect(answer.batchItemFailures).toEqual([])
  }
  expect(await ports.domains.exists(domain)).toBe(false)
}

async function writeExports({ ports, tools }: Api): Promise<void> {
  for (const message of ports.exportQueue.queued.splice(0)) {
    await writeExport.over(ports, tools)(aBatch([{ version: 1, ...message }]), aContext)
  }
}

/** A tenant with two recorded calls and an export is deleted; a tenant of its name has one call, by the same people. */
async function setUp(env: Readonly<Record<string, string>> = {}) {
  const api = anApi(env)
  const people = { admin: { login: '1001', role: 'admin' }, user: { login: '1000' } } as const
  const plant = async (uuid: string | undefined, parent: string | undefined) => {
    const at = { startedAt: api.clock.now() - 1000, endedAt: api.clock.now() }
    await plantCdr(api, { domain_name: domain, uuid, parent_uuid: parent, presence_id: `1000@${domain}` })
    await plantRecording(api, { domain, uuid, name: 'call.wav', presenceId: `1000@${domain}`, ...at })
  }
  const begin = async (headers: Headers) => {
    const { body } = await api.call(beginExport, { headers, body: {} })
    await writeExports(api)
    return String(body.data.jobId)
  }
  const before = { ...(await api.as(await api.account(people.admin))) }
  await plant(theirs, undefined)
  await plant(other, theirs)
  const oldExport = await begin(before)
  const scrolled = await api.call(searchCdrs, { headers: before, body: { scroll: true, limit: 1 } })
  const root = { ...(await api.as('root')) }
  await api.call(remove, { headers: root, params: { domain_name: domain } })
  await finishDeletion(api)
  await api.ports.domains.create(aDomain({ name: domain, createdAt: api.clock.now() }))
  api.clock.move(2000)
  await plant(mine, theirs)
  const user = { ...(await api.as(await api.account(people.user))) }
  const admin = { ...(await api.as(await api.account(people.admin))) }
  const scrollId: string = scrolled.body.scrollId
  return { api, root, callers: { admin, user, root }, begin, oldExport, scrollId }
}

const callers = ['admin', 'user', 'root'] as const

describe.each(callers)('%s of a domain whose name another one had', (who) => {
  const query = who === 'root' ? `domain=${domain}` : ''

  it("a tenant that reuses a deleted domain's name finds only its own calls by any search", async () => {
    const { api, callers } = await setUp()
    const headers = callers[who]
    const long = { range: { created_time: { gte: 'now-300d' } } }
    const filters = [[], long, { bool: { should: [long, { match: { uuid: theirs } }] } }]

    for (const filter of filters) {
      const { body } = await api.call(searchCdrs, { headers, query, body: { ...everything, index: 'cdr-*', filter } })
      expect(body.hits.hits.map((hit: { _id: string }) => hit._id)).toEqual([mine])
      expect(body.hits.total).toBe(1)
    }
    const ended = { range: { created_time: { gte: 'now-300d', lte: 'now-1h' } } }
    const { body } = await api.call(searchCdrs, { headers, query, body: { filter: ended } })
    expect(body.hits.total).toBe(0)
  })

  it("a tenant that reuses a deleted domain's name reads its own call with its own legs, and no earlier one", async () => {
    const { api, callers } = await setUp()
    const of = (uuid = '') => ({ headers: callers[who], query, params: { uuid } })

    expect((await api.call(readCdr, of(mine))).status).toBe(200)
    expect((await api.call(readCdr, of(theirs))).status).toBe(404)
    expect((await api.call(listOtherLegs, of(mine))).body.data).toEqual([])
    expect((await api.call(listOtherLegs, of(theirs))).status).toBe(404)
  })

  it("a tenant that reuses a deleted domain's name sees none of its recordings and can neither delete nor hold them", async () => {
    const { api, callers } = await setUp()
    const ask = { headers: callers[who], params: { uuid: theirs ?? '' } }
    const held = { ...ask, query, body: { hold: true } }
    const refused = who === 'user' ? 403 : 404

    expect((await api.call(readRecording, { ...ask, query: `type=all&${query}` })).body).toEqual([])
    expect((await api.call(readRecording, { ...ask, query })).status).toBe(404)
    expect((await api.call(deleteRecordings, { ...ask, query })).status).toBe(refused)
    expect((await api.call(holdRecordings, held)).status).toBe(refused)
    expect((await api.call(readRecording, { ...ask, query, params: { uuid: mine ?? '' } })).status).toBe(302)
    expect(await api.ports.recordings.list(domain, theirs ?? '')).toMatchObject([{ state: 'stored', isHeld: false }])
  })

  it("a tenant that reuses a deleted domain's name exports only its own calls, and finds no earlier export", async () => {
    const { api, callers, oldExport } = await setUp()
    const headers = callers[who]
    const begun = await api.call(beginExport, { headers, query, body: { columns: ['uuid'], leg: '*' } })
    await writeExports(api)
    const read = (job_id: string) => api.call(readExport, { headers, query, params: { job_id } })

    const { body } = await read(begun.body.data.jobId)

    expect(body.data).toMatchObject({ state: 'done', rows: 1 })
    expect((await read(oldExport)).status).toBe(404)
  })
})

it('a scroll that began before the deletion of a domain does not continue after it', async () => {
  const { api, callers, scrollId } = await setUp()

  const { body } = await api.call(scrollCdrs, { headers: callers.admin, body: { scrollId } })

  expect(JSON.stringify(body)).not.toContain(theirs)
  expect(JSON.stringify(body)).not.toContain(other)
})

it('root without a domain finds the calls of both tenants that used the name', async () => {
  const { api, root } = await setUp()

  const { body } = await api.call(searchCdrs, { headers: root, body: everything })

  expect(body.hits.total).toBe(3)
  expect((await api.call(readCdr, { headers: root, params: { uuid: theirs ?? '' } })).status).toBe(200)
})

it.each(['1', '60', '900'])('earlier records are also hidden with a grace period of %s s', async (seconds) => {
  const { api, callers } = await setUp({ DELETION_GRACE_SECONDS: seconds })

  const { body } = await api.call(searchCdrs, { headers: callers.admin, body: everything })

  expect(body.hits.hits.map((hit: { _id: string }) => hit._id)).toEqual([mine])
})
