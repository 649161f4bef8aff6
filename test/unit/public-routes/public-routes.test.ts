import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as listDefaultRoutes } from '../../../functions/default-routes/list-default-routes.ts'
import { handler as createPublicRoute } from '../../../functions/public-routes/create-public-route.ts'
import { handler as deletePublicRoute } from '../../../functions/public-routes/delete-public-route.ts'
import { handler as listPublicRoutes } from '../../../functions/public-routes/list-public-routes.ts'
import { handler as movePublicRouteDown } from '../../../functions/public-routes/move-public-route-down.ts'
import { handler as movePublicRouteUp } from '../../../functions/public-routes/move-public-route-up.ts'
import { handler as readPublicRoute } from '../../../functions/public-routes/read-public-route.ts'
import { handler as replacePublicRoute } from '../../../functions/public-routes/replace-public-route.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aRoute } from '../../support/records/records.ts'

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

const create = (body: object) => api.call(createPublicRoute, { headers, body: { destination_number: '1', ...body } })
const list = async () => (await api.call(listPublicRoutes, { headers })).body
const at = (route_id: string) => ({ headers, params: { route_id } })

describe('public routes', () => {
  it('a public route keeps its gateway, and one without a gateway has none', async () => {
    const { status, body } = await create({ name: 'from the trunk', gateway: 'trunk' })
    const { body: every } = await create({ name: 'from anywhere' })

    const read = async (id: string) => (await api.call(readPublicRoute, at(id))).body
    expect(status).toBe(200)
    expect(await read(body._id)).toMatchObject({ name: 'from the trunk', gateway: 'trunk', order: 1, version: 2 })
    expect(await read(every._id)).not.toHaveProperty('gateway')
    expect((await list()).map(({ gateway = '' }: { gateway?: string }) => gateway)).toEqual(['trunk', ''])
  })

  it('a public route is replaced, and loses the gateway that the new one does not name', async () => {
    const { body } = await create({ gateway: 'trunk', order: 7 })

    const replaced = await api.call(replacePublicRoute, { ...at(body._id), body: { destination_number: '2' } })

    expect(replaced.body).toMatchObject({ destination_number: '2', order: 7 })
    expect(replaced.body).not.toHaveProperty('gateway')
  })

  it.each(['Trunk', 'a.b', '', 'a'.repeat(65), 7])('a public route for the gateway %j is refused', async (gateway) => {
    const { status, body } = await create({ gateway })

    expect([status, body.code, body.details[0].field]).toEqual([400, 'invalid_field', 'gateway'])
    expect(await list()).toEqual([])
  })

  it('a step that the engine cannot run is refused with its position, as in a default route', async () => {
    const { status, body } = await create({ callflow: [{ answer: '' }, { sleep: 'long' }] })

    expect([status, body.details[0].field]).toEqual([400, 'callflow[1].sleep'])
  })

  it('public routes move up and down and are deleted without touching default routes', async () => {
    const ids = []
    for (const name of ['first', 'second']) ids.push((await create({ name })).body._id)
    const [first = '', second = ''] = ids
    await api.call(createDefaultRoute, {
      headers,
      body: { destination_number: '1', name: 'default', gateway: 'trunk' },
    })
    const names = async () => (await list()).map(({ name }: { name: string }) => name)

    await api.call(movePublicRouteUp, at(second))
    expect(await names()).toEqual(['second', 'first'])
    await api.call(movePublicRouteDown, at(second))
    expect(await names()).toEqual(['first', 'second'])
    expect((await api.call(deletePublicRoute, at(first))).body).toEqual({ ok: 1, n: 1 })
    expect(await names()).toEqual(['second'])
    const { body: defaults } = await api.call(listDefaultRoutes, { headers })
    expect(defaults.map(({ name, gateway }: { name: string; gateway?: string }) => [name, gateway])).toEqual([
      ['default', undefined],
    ])
  })

  it('a domain has at most 1000 public routes, which do not count as default ones', async () => {
    const domain = 'a.example.com'
    await api.ports.defaultRoutes.create(aRoute({ domain }), 0)
    for (let order = 0; order < 1_000; order += 1) await api.ports.publicRoutes.create(aRoute({ domain, order }), order)

    const { status, body } = await create({})

    expect([status, body.code]).toEqual([409, 'conflict'])
  })
})
