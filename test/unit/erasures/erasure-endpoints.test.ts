import { expect, it } from 'vitest'
import { handler as deleteCdr } from '../../../functions/cdr/delete-cdr.ts'
import { handler as readCdr } from '../../../functions/cdr/read-cdr.ts'
import { handler as removeExpired } from '../../../functions/cdr/remove-expired-cdrs.ts'
import { handler as beginErasure } from '../../../functions/erasures/begin-erasure.ts'
import { handler as eraseParty } from '../../../functions/erasures/erase-party.ts'
import { handler as readErasure } from '../../../functions/erasures/read-erasure.ts'
import { DomainError } from '../../../core/errors.ts'
import { aContext, anApi } from '../../support/platform/api.ts'
import { plantCdr } from '../../support/platform/tenant.ts'
import { aBatch } from '../../support/records/queue-batch.ts'

const domain = 'a.example.com'
const [one, two] = ['6f1c7a1e-6a1e-4b1d-9f0e-000000000001', '6f1c7a1e-6a1e-4b1d-9f0e-000000000002']

/** A tenant with an admin, and two calls of which the first names a number. */
async function setUp() {
  const api = anApi()
  const user = { ...(await api.as(await api.account({ login: '1000' }))) }
  const admin = { ...(await api.as(await api.account({ login: '1001', role: 'admin' }))) }
  await plantCdr(api, { domain_name: domain, uuid: one, destination_number: '4711' })
  await plantCdr(api, { domain_name: domain, uuid: two })
  return { api, user, admin }
}

it('an erasure is queued, done by the function of its queue, and shown with its counts', async () => {
  const { api, admin, user } = await setUp()
  const begun = await api.call(beginErasure, { headers: admin, body: { number: '47 11' } })
  expect(begun).toMatchObject({ status: 200, body: { status: 'OK' } })
  const params = { job_id: begun.body.data.jobId }

  const messages = api.ports.erasureQueue.queued.map((message) => ({ version: 1, ...message }))
  expect((await eraseParty.over(api.ports, api.tools)(aBatch(messages), aContext)).batchItemFailures).toEqual([])

  expect(await api.call(readErasure, { headers: admin, params })).toMatchObject({
    status: 200,
    body: { data: { jobId: params.job_id, state: 'done', counts: { cdrs: 1, recordings: 0 } } },
  })
  expect((await api.call(readCdr, { headers: admin, params: { uuid: one } })).status).toBe(404)
  expect((await api.call(readCdr, { headers: admin, params: { uuid: two } })).status).toBe(200)
  expect((await api.call(readErasure, { headers: user, params })).status).toBe(403)
})

it('no erasure is queued while the key of its line in the audit trail cannot be read', async () => {
  const { api, admin } = await setUp()
  const cursorKey = async () => {
    throw new DomainError('store_unavailable', 'no secrets')
  }
  const without = api.with({ secrets: { ...api.ports.secrets, cursorKey } })

  const refused = await without.call(beginErasure, { headers: admin, body: { number: '4711' } })
  expect(refused).toMatchObject({ status: 503 })
  expect(api.ports.erasureQueue.queued).toEqual([])
})

it('the audit trail has the same keyed hash for each spelling of a party, and never the party', async () => {
  const { api, admin } = await setUp()
  for (const number of ['47 11', '4711', '4712']) await api.call(beginErasure, { headers: admin, body: { number } })

  const lines = api.ports.state.audit.filter(({ path }) => path === '/api/v2/erasures')
  const hashes = lines.map(({ note }) => note?.replace(/^erasure \S+ of /, ''))
  expect(hashes[0]).toMatch(/^[A-Za-z0-9+/=_-]{40,}$/)
  expect(hashes[1]).toBe(hashes[0])
  expect(hashes[2]).not.toBe(hashes[0])
  expect(JSON.stringify(lines)).not.toContain('4711')
})

it.each([
  [{}, 400, 'missing_field'],
  [{ number: '1', account: '1000' }, 400, 'invalid_field'],
  [{ number: 7 }, 400, 'invalid_field'],
  [{ number: 'x'.repeat(33) }, 400, 'invalid_field'],
  [{ account: 'a b' }, 400, 'invalid_field'],
  [{ account: '1000@b.example.com' }, 400, 'invalid_field'],
  [{ account: '.' }, 400, 'invalid_field'],
  [{ account: '-.@a.example.com' }, 400, 'invalid_field'],
])('a request for the erasure of %j is answered %i %s', async (body, status, code) => {
  const { api, admin } = await setUp()

  expect(await api.call(beginErasure, { headers: admin, body })).toMatchObject({ status, body: { code } })
  expect(api.ports.erasureQueue.queued).toEqual([])
})

it('deleting a call answers how many records are gone, and 404 from then on', async () => {
  const { api, admin, user } = await setUp()
  const params = { uuid: one.toUpperCase() }

  expect((await api.call(deleteCdr, { headers: user, params })).status).toBe(403)
  expect(await api.call(deleteCdr, { headers: admin, params })).toMatchObject({
    status: 200,
    body: { status: 'OK', info: 'Removed 1 records.' },
  })
  expect((await api.call(deleteCdr, { headers: admin, params })).status).toBe(404)
})

it('the schedule removes what is older than the setting says', async () => {
  const { api } = await setUp()
  api.clock.move(500 * 86_400_000)

  await removeExpired.over(api.ports, api.tools)({}, aContext)
  expect(api.ports.state.cdrs.size).toBe(0)
})
