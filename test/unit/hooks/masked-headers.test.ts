import { describe, expect, it } from 'vitest'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { handler as listHooks } from '../../../functions/hooks/list-hooks.ts'
import { handler as readHook } from '../../../functions/hooks/read-hook.ts'
import { handler as updateHook } from '../../../functions/hooks/update-hook.ts'
import { anApi } from '../../support/platform/api.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { aRole } from '../../support/records/records.ts'

const domain = 'a.example.com'
const headers = { Authorization: 'Bearer of-the-receiver', 'X-Team': 'sales' }
const auth = {
  enabled: true,
  url: 'https://r.example.com/login',
  headers: { 'X-Password': 'of-the-login' },
  map: { pass: 'of-the-form' },
}
const masked = {
  headers: { Authorization: '********', 'X-Team': '********' },
  auth: { headers: { 'X-Password': '********' }, map: { pass: '********' } },
}

/** An admin, and a caller whose role may create and read hooks but not change them. */
async function setUp() {
  const api = anApi()
  const watcher = aRole({ name: 'watcher', allows: { hook: ['c', 'r'] } })
  await api.ports.roles.write({ domain, roles: [watcher], version: 1 })
  const admin = { ...(await api.as(await api.account({ login: '1000', role: 'admin' }))) }
  const reader = { ...(await api.as(await api.account({ login: '1001', role: 'watcher' }))) }
  const created = await api.call(createHooks, { body: aHookInput({ headers, auth }), headers: admin })
  return { api, admin, reader, created, params: { hook_id: created.body.data.insertedIds[0] } }
}

describe('the headers and login fields of a hook', () => {
  it('the headers and login fields of a hook are shown to callers who may change the hook', async () => {
    const { api, admin, created, params } = await setUp()

    const read = await api.call(readHook, { params, headers: admin })
    const listed = await api.call(listHooks, { headers: admin })

    for (const hook of [created.body.data.ops[0], read.body.data, listed.body.data[0]]) {
      expect(hook).toMatchObject({ headers, auth: { headers: auth.headers, map: auth.map } })
    }
  })

  it('the headers and login fields of a hook are masked for callers who may only create and read hooks', async () => {
    const { api, reader, params } = await setUp()

    const read = await api.call(readHook, { params, headers: reader })
    const listed = await api.call(listHooks, { headers: reader })
    const created = await api.call(createHooks, { body: aHookInput({ headers, auth }), headers: reader })

    for (const hook of [read.body.data, listed.body.data[0], created.body.data.ops[0]]) {
      expect(hook).toMatchObject(masked)
      expect(JSON.stringify(hook)).not.toMatch(/of-the-receiver|sales|of-the-login|of-the-form/)
    }
  })

  it('the headers and login fields of a hook cannot be guessed by filtering or sorting the list', async () => {
    const { api, reader } = await setUp()
    const filter = encodeURIComponent(JSON.stringify({ headers }))

    const filtered = await api.call(listHooks, { headers: reader, query: `filter=${filter}` })

    expect(JSON.stringify(filtered.body)).not.toContain('of-the-receiver')
    expect(filtered.body.data ?? []).toEqual([])
  })

  it('the headers and login fields of a hook stay as they are when a caller who sees them changes another field', async () => {
    const { api, admin, params } = await setUp()

    await api.call(updateHook, { params, body: { description: 'calls' }, headers: admin })

    expect(await api.ports.hooks.read(domain, params.hook_id)).toMatchObject({
      headers,
      auth: { headers: auth.headers, map: auth.map },
    })
  })
})
