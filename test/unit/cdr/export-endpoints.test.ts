import { describe, expect, it } from 'vitest'
import { handler as beginExport } from '../../../functions/cdr/begin-export.ts'
import { handler as readExport } from '../../../functions/cdr/read-export.ts'
import { handler as writeExport } from '../../../functions/cdr/write-export.ts'
import { type Api, aContext, anApi } from '../../support/platform/api.ts'
import { aBatch } from '../../support/records/queue-batch.ts'
import { aRole } from '../../support/records/records.ts'
import { plantCdr } from '../../support/platform/tenant.ts'

const domain = 'a.example.com'
const calls = ['1000', '1001', '1001'].map((login, index) => ({
  uuid: `6f1c7a1e-6a1e-4b1d-9f0e-00000000000${index}`,
  presence_id: `${login}@${domain}`,
  caller_id_name: `call ${index}`,
}))

/** A tenant whose user 1000 had one call and whose admin 1001 had two, and another tenant with one. */
async function setUp() {
  const api = anApi()
  const user = { ...(await api.as(await api.account({ login: '1000' }))) }
  const admin = { ...(await api.as(await api.account({ login: '1001', role: 'admin' }))) }
  const other = { ...(await api.as(await api.account({ domain: 'b.example.com', role: 'admin' }))) }
  const root = { ...(await api.as('root')) }
  /** Logs in again: earlier tokens expire after an hour. */
  const again = async (login: string) => {
    const account = await api.ports.accounts.read(domain, login)
    return account === undefined ? {} : { ...(await api.as(account)) }
  }
  for (const call of calls) await plantCdr(api, { domain_name: domain, ...call })
  await plantCdr(api, { domain_name: 'b.example.com', uuid: calls[0]?.uuid, caller_id_name: 'of another' })
  return { api, user, admin, other, root, again }
}

type Headers = Record<string, string>

async function begin(api: Api, headers: Headers, body: object, query = ''): Promise<string> {
  const answer = await api.call(beginExport, { headers, query, body })
  expect(answer).toMatchObject({ status: 200, body: { status: 'OK' } })
  return answer.body.data.jobId
}

/** Lets the queue's function work on all queued messages. */
async function write({ ports, tools }: Api): Promise<void> {
  for (const message of ports.exportQueue.queued.splice(0)) {
    const answer = await writeExport.over(ports, tools)(aBatch([{ version: 1, ...message }]), aContext)
    expect(answer.batchItemFailures).toEqual([])
  }
}

const ask = (api: Api, headers: Headers, jobId: string, query = '') =>
  api.call(readExport, { headers, query, params: { job_id: jobId } })

/** The file that an answer's link leads to. */
const fileOf = ({ ports }: Api, url: string) => {
  const link = ports.exportFiles.links.get(url)
  return { ...link, text: ports.exportFiles.files.get(link?.key ?? '')?.bytes.toString() }
}

describe('an export', () => {
  it('an export is queued, then done with a link of an hour to its file', async () => {
    const { api, admin } = await setUp()
    const body = {
      query: 'caller_id_name:call*',
      columns: ['caller_id_name'],
      sort: { caller_id_name: 'asc' },
      limit: 1,
    }
    const jobId = await begin(api, admin, body)
    expect(await ask(api, admin, jobId)).toMatchObject({ body: { data: { jobId, state: 'queued', rows: 0 } } })

    await write(api)

    const { body: answer } = await ask(api, admin, jobId)
    expect(answer.data).toMatchObject({ state: 'done', format: 'csv', rows: 3, expires: api.clock.now() + 3_600_000 })
    const file = fileOf(api, answer.data.url)
    expect(file).toMatchObject({
      text: 'caller_id_name\r\ncall 0\r\ncall 1\r\ncall 2\r\n',
      contentType: 'text/csv; charset=utf-8',
    })
    expect(file.disposition).toBe('attachment; filename="cdr-2026-01-15.csv"')
    expect(answer.data.size).toBe(file.text?.length)
  })

  it('an export resolves relative dates at the time of the request, whenever it is written', async () => {
    const { api, admin, again } = await setUp()
    const filter = { range: { created_time: { gte: 'now-1h' } } }
    const jobId = await begin(api, admin, { filter, format: 'jsonl' })
    api.clock.move(7_200_000)
    await write(api)

    const { body } = await ask(api, await again('1001'), jobId)
    expect(body.data).toMatchObject({ state: 'done', rows: 3 })
  })

  it('an export of a user who may read only the own calls contains these alone', async () => {
    const { api, user } = await setUp()
    const jobId = await begin(api, user, { format: 'jsonl', columns: ['uuid'] })
    await write(api)

    const { body } = await ask(api, user, jobId)
    expect(fileOf(api, body.data.url).text).toBe(`{"uuid":"${calls[0]?.uuid}"}\n`)
  })

  it('an export of root contains all domains if it names none, and is found without a domain, too', async () => {
    const { api, root } = await setUp()
    const [all, one] = [await begin(api, root, {}), await begin(api, root, {}, `domain=${domain}`)]
    await write(api)

    expect((await ask(api, root, all)).body.data.rows).toBe(4)
    expect((await ask(api, root, one, `domain=${domain}`)).body.data.rows).toBe(3)
    expect(await ask(api, root, all, `domain=${domain}`)).toMatchObject({ status: 404 })
    expect(await ask(api, root, one)).toMatchObject({ status: 404 })
  })

  it('an export is visible to its owner only', async () => {
    const { api, user, admin, other, root } = await setUp()
    const jobId = await begin(api, user, {})
    await write(api)

    for (const headers of [admin, other]) {
      expect(await ask(api, headers, jobId)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    expect(await ask(api, root, jobId, `domain=${domain}`)).toMatchObject({ status: 404 })
  })

  it('an export is refused to an owner who may not search any more', async () => {
    const { api, user } = await setUp()
    const jobId = await begin(api, user, {})
    const account = await api.ports.accounts.read(domain, '1000')
    await api.ports.roles.write({ domain, roles: [aRole({ name: 'silent', allows: {} })], version: 1 })
    if (account !== undefined) await api.ports.accounts.update({ ...account, role: 'silent', version: 2 }, account)

    expect(await ask(api, user, jobId)).toMatchObject({
      status: expect.toSatisfy((status) => [401, 403].includes(status)),
    })
  })

  it('an export of a whole domain is refused to an owner who may now see only the own calls', async () => {
    const { api, admin, again } = await setUp()
    const jobId = await begin(api, admin, {})
    await write(api)
    const account = await api.ports.accounts.read(domain, '1001')
    if (account !== undefined) await api.ports.accounts.update({ ...account, role: 'user', version: 2 }, account)

    const asUser = await again('1001')

    expect(await ask(api, asUser, jobId)).toMatchObject({ status: 404 })
    const own = await begin(api, asUser, {})
    expect(await ask(api, asUser, own)).toMatchObject({ status: 200 })
  })

  it('an export expires after a day', async () => {
    const { api, user, again } = await setUp()
    const jobId = await begin(api, user, {})
    await write(api)
    api.clock.move(86_400_000 - 1000)
    expect(await ask(api, await again('1000'), jobId)).toMatchObject({ status: 200 })
    api.clock.move(1000)

    expect(await ask(api, await again('1000'), jobId)).toMatchObject({ status: 404 })
  })

  it.each([
    [{ format: 'xml' }, 'invalid_field'],
    [{ query: '/a/' }, 'query_refused'],
    [{ filter: { script: {} } }, 'query_refused'],
    [{ columns: [] }, 'invalid_field'],
  ])('an export of %j is refused at once, and nothing is queued', async (body, code) => {
    const { api, admin } = await setUp()

    expect(await api.call(beginExport, { headers: admin, body })).toMatchObject({ status: 400, body: { code } })
    expect(api.ports.exportQueue.queued).toEqual([])
  })

  it('an export that is requested again with the same key is the same job', async () => {
    const { api, admin } = await setUp()
    const headers = { ...admin, 'idempotency-key': 'once' }
    const [first, again] = [await begin(api, headers, {}), await begin(api, headers, {})]

    expect(again).toBe(first)
    expect(api.ports.exportQueue.queued).toHaveLength(1)
  })

  it('an export is refused to a domain that had 30 within an hour, and to no other', async () => {
    const { api, user, admin, other, again } = await setUp()
    for (let index = 0; index < 30; index += 1) await begin(api, index % 2 === 0 ? user : admin, {})

    expect(await api.call(beginExport, { headers: admin, body: {} })).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', info: '30 exports were asked for within an hour: try again later' },
      headers: { 'Retry-After': '3600' },
    })
    await begin(api, other, {})
    api.clock.move(3_600_000)
    await begin(api, await again('1001'), {})
  })
})
