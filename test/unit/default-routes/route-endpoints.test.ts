import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as deleteDefaultRoute } from '../../../functions/default-routes/delete-default-route.ts'
import { handler as listDefaultRoutes } from '../../../functions/default-routes/list-default-routes.ts'
import { handler as moveDefaultRouteDown } from '../../../functions/default-routes/move-default-route-down.ts'
import { handler as moveDefaultRouteUp } from '../../../functions/default-routes/move-default-route-up.ts'
import { handler as readDefaultRoute } from '../../../functions/default-routes/read-default-route.ts'
import { handler as replaceDefaultRoute } from '../../../functions/default-routes/replace-default-route.ts'
import type { StoredRoute } from '../../../core/default-routes/stored-route.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aRoute } from '../../support/records/records.ts'

let api: Api
let headers: Record<string, string>

beforeEach(() => start())

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  api = anApi(env)
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
}

const input = (given: object = {}) => ({ destination_number: '^1000$', name: 'one', ...given })
const create = (body: unknown = input(), query = '') => api.call(createDefaultRoute, { headers, body, query })
const list = (query = '') => api.call(listDefaultRoutes, { headers, query })
const at = (route_id: string, query = '') => ({ headers, params: { route_id }, query })
const read = (id: string, query = '') => api.call(readDefaultRoute, at(id, query))
const replace = (id: string, body: unknown = input(), query = '') =>
  api.call(replaceDefaultRoute, { ...at(id, query), body })
const remove = (id: string, query = '') => api.call(deleteDefaultRoute, at(id, query))
const up = (id: string, query = '') => api.call(moveDefaultRouteUp, at(id, query))
const down = (id: string, query = '') => api.call(moveDefaultRouteDown, at(id, query))

const created = async (given: object = {}): Promise<string> => (await create(input(given))).body._id
const names = async () => (await list()).body.map(({ name }: { name: string }) => name).join('')
const orders = async () => (await list()).body.map(({ order }: { order: number }) => order)
/** Puts a route into the store that the API would not write. */
const stored = async (given: Partial<StoredRoute>): Promise<string> => {
  const route = aRoute(given)
  await api.ports.defaultRoutes.create(route, (await api.ports.defaultRoutes.list(route.domain)).edition)
  return route.id
}

describe('a route', () => {
  it('a route is created with its defaults and read back', async () => {
    const { status, body } = await create({ destination_number: '^(\\d+)$' })

    expect([status, Object.keys(body)]).toEqual([200, ['_id']])
    const expected = {
      _id: body._id,
      destination_number: '^(\\d+)$',
      name: '^(\\d+)$',
      order: 1,
      disabled: false,
      domain: 'a.example.com',
      fs_timezone: null,
      description: '',
      callflow: [],
      version: 2,
    }
    expect((await read(body._id)).body).toEqual(expected)
    expect((await list()).body).toEqual([expected])
  })

  it('a route is created with the given fields, except those that the service decides', async () => {
    const given = {
      destination_number: '^(\\d+)$',
      name: 'all',
      order: -3,
      disabled: true,
      fs_timezone: 'Europe/Kyiv',
      description: 'every number',
      callflow: [{ answer: '200 Ok' }, { queue: { name: 'main' }, break: true }],
    }

    const { body } = await create({ ...given, version: 1, _id: 'f'.repeat(24), revision: 9, domain: 'a.example.com' })

    expect((await read(body._id)).body).toEqual({ ...given, _id: body._id, domain: 'a.example.com', version: 2 })
    expect(body._id).not.toBe('f'.repeat(24))
  })

  it('a route is replaced as a whole, except its order if none is given', async () => {
    const id = await created({ order: 7, disabled: true, description: 'x', callflow: [{ answer: '' }] })

    const { status, body } = await replace(id, { destination_number: '^2$' })

    expect(status).toBe(200)
    expect(body).toEqual({
      ...(await read(id)).body,
      destination_number: '^2$',
      name: '^2$',
      order: 7,
      disabled: false,
      description: '',
      callflow: [],
    })
    expect((await replace(id, input({ order: 9 }))).body.order).toBe(9)
  })

  it('a route can be removed once', async () => {
    const id = await created()

    expect(await remove(id)).toMatchObject({ status: 200, body: { ok: 1, n: 1 } })
    expect(await remove(id)).toMatchObject({ status: 404, body: { code: 'not_found', info: 'Route not found' } })
    expect((await list()).body).toEqual([])
  })

  it.each(['f'.repeat(24), 'x', '..', '__proto__', 'F'.repeat(24)])(
    'a missing route is not found as %s',
    async (id) => {
      await created()

      for (const answer of [await read(id), await replace(id), await remove(id), await up(id), await down(id)]) {
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
      }
      expect(api.ports.state.routes.size).toBe(1)
    },
  )

  it("a route's callflow is never logged, and the audit trail names its fields only", async () => {
    await create(input({ callflow: [{ httpRequest: { url: 'https://planted-secret' } }] }))

    expect(JSON.stringify(api.log.lines)).not.toContain('planted-secret')
    expect(api.ports.state.audit).toMatchObject([{ fields: ['callflow', 'destination_number', 'name'] }])
  })
})

describe('a version of a route', () => {
  const given = (tag: string | undefined) => ({ headers: { ...headers, 'if-match': tag ?? '' } })
  const tagOf = async (id: string) => (await read(id)).headers['ETag']

  it('the version of a route is returned when it is read and changed, and differs each time', async () => {
    const id = await created()
    await created()
    const tags = [await tagOf(id), (await replace(id)).headers['ETag'], (await down(id)).headers['ETag']]

    expect(await tagOf(id)).toBe(tags[2])
    expect(new Set(tags).size).toBe(3)
  })

  it('a change of a route that requires an outdated version is refused', async () => {
    const id = await created()
    const stale = given(await tagOf(id))
    await replace(id, input({ name: 'new' }))
    const before = structuredClone([...api.ports.state.routes])

    const answers = [
      await api.call(replaceDefaultRoute, { ...at(id), ...stale, body: input() }),
      await api.call(moveDefaultRouteUp, { ...at(id), ...stale }),
      await api.call(moveDefaultRouteDown, { ...at(id), ...stale }),
      await api.call(deleteDefaultRoute, { ...at(id), ...stale }),
    ]

    for (const answer of answers) expect(answer).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect([...api.ports.state.routes]).toEqual(before)
  })

  it('one of two changes of a route that require the present version succeeds', async () => {
    const id = await created()
    const fresh = given(await tagOf(id))

    const answers = await Promise.all(
      ['x', 'y'].map((name) => api.call(replaceDefaultRoute, { ...at(id), ...fresh, body: input({ name }) })),
    )

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
    const again = given(await tagOf(id))
    expect((await api.call(deleteDefaultRoute, { ...at(id), ...again })).status).toBe(200)
  })
})

describe('the order', () => {
  it('a new route is ordered after all others', async () => {
    await created({ order: 5 })
    await created({ order: 2 })
    await created()
    await created()

    expect(await orders()).toEqual([2, 5, 6, 7])
  })

  it('routes that are created at the same time get different orders', async () => {
    await Promise.all(Array.from({ length: 8 }, () => created()))

    expect(await orders()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('the order of a new route never exceeds the highest possible one', async () => {
    await created({ order: 2_147_483_647 })
    await created()

    expect(await orders()).toEqual([2_147_483_647, 2_147_483_647])
  })

  it('the order of a route is swapped with its neighbour, up and down', async () => {
    const [a, b, c] = [
      await created({ name: 'a', order: 1 }),
      await created({ name: 'b', order: 5 }),
      await created({ name: 'c', order: 9 }),
    ]

    expect(await up(c)).toMatchObject({ status: 200, body: { _id: c, order: 5 } })
    expect([await names(), await orders()]).toEqual(['acb', [1, 5, 9]])
    expect((await down(a)).body.order).toBe(5)
    expect([await names(), await orders()]).toEqual(['cab', [1, 5, 9]])
    expect((await up(b)).body.order).toBe(5)
    expect(await names()).toBe('cba')
  })

  it('moving the first route up or the last one down changes nothing', async () => {
    const [a, b] = [await created({ name: 'a' }), await created({ name: 'b' })]
    const before = structuredClone([...api.ports.state.routes])

    expect(await up(a)).toMatchObject({ status: 200, body: { order: 1 } })
    expect(await down(b)).toMatchObject({ status: 200, body: { order: 2 } })
    expect([...api.ports.state.routes]).toEqual(before)
  })

  it('moving the only route up or down changes nothing', async () => {
    const id = await created()

    expect([(await up(id)).status, (await down(id)).status, await orders()]).toEqual([200, 200, [1]])
  })

  it('no order is lost when many routes move at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => created()))

    const answers = await Promise.all(ids.flatMap((id) => [up(id), down(id)]))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await orders()).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe('the list', () => {
  it('the list of routes is filtered, sorted and cut by their fields', async () => {
    for (const name of ['b', 'a', 'c']) await created({ name, callflow: [{ playback: name }] })

    expect((await list(`sort=${encodeURIComponent('{"name":-1}')}&columns=name`)).body).toEqual([
      { name: 'c' },
      { name: 'b' },
      { name: 'a' },
    ])
    expect((await list(`filter=${encodeURIComponent('{"name":"a"}')}&columns=callflow`)).body).toEqual([
      { callflow: [{ playback: 'a' }] },
    ])
  })

  it('the list of routes continues by its cursor in the order of routes, beginning with negative orders', async () => {
    for (const order of [10, -20, 9, -3, 100]) await created({ order })
    const seen: number[] = []
    let query = 'limit=2'
    for (let page = await list(query); ; page = await list(query)) {
      seen.push(...page.body.map(({ order }: { order: number }) => order))
      const next = page.headers['X-Next-Cursor']
      if (next === undefined) break
      query = `limit=2&cursor=${next}`
    }

    expect(seen).toEqual([-20, -3, 9, 10, 100])
  })

  it.each([
    ['plain', 'x'.repeat(250_000)],
    ['full of quotes', '"'.repeat(125_000)],
  ])('the list of routes with large callflows is cut, says so, and continues by its cursor: %s', async (_name, log) => {
    const callflow = [{ log }]
    for (let order = 1; order <= 20; order += 1) await stored({ order, callflow })

    const first = await list()
    const second = await list(`cursor=${first.headers['X-Next-Cursor']}`)

    expect(Buffer.byteLength(JSON.stringify(first.text))).toBeLessThan(6 * 1024 * 1024)
    expect(first.headers['X-Truncated']).toBe('true')
    expect(first.body.length).toBeGreaterThan(10)
    expect(first.body.length + second.body.length).toBe(20)
    expect(second.headers).not.toHaveProperty('X-Next-Cursor')
    expect((await list('columns=name')).body).toHaveLength(20)
  })

  it('the list of routes leaves out a route that is removed while it is read', async () => {
    const [a, b] = [await created({ name: 'a' }), await created({ name: 'b' })]
    const racing = api.with({
      defaultRoutes: {
        ...api.ports.defaultRoutes,
        callflows: async (domain, ids) => {
          await remove(a)
          return api.ports.defaultRoutes.callflows(domain, ids)
        },
      },
    })

    const { body } = await racing.call(listDefaultRoutes, { headers })

    expect(body.map(({ _id }: { _id: string }) => _id)).toEqual([b])
  })
})

describe('what the rules refuse is 400 with its field, and nothing is written', () => {
  it.each<[string, object, string, RegExp]>([
    ['no pattern', { destination_number: undefined }, 'destination_number', /must be given/],
    ['a list of patterns', { destination_number: ['1'] }, 'destination_number', /./],
    ['an empty pattern', { destination_number: '' }, 'destination_number', /at least 1/],
    ['121 characters', { destination_number: '1'.repeat(121) }, 'destination_number', /at most 120/],
    [
      'a broken pattern',
      { destination_number: '^38(044' },
      'destination_number',
      /missing closing \), at character 1$/,
    ],
    ['a broken repetition', { destination_number: '12**' }, 'destination_number', /`?repetition.*at character 3/],
    ['a look-ahead', { destination_number: '^(?=1)2' }, 'destination_number', /linear time: .*at character 2/],
    ['a back reference', { destination_number: '(1)\\1' }, 'destination_number', /escape sequence, at character 4/],
    ['unknown flags', { destination_number: '/1/x' }, 'destination_number', /flags "x"/],
    ['a pattern of two lines', { destination_number: '1\n' }, 'destination_number', /control/],
    ['a large pattern', { destination_number: '((1{100}){100}){100}' }, 'destination_number', /repeat count/],
    ['an empty name', { name: '' }, 'name', /at least 1/],
    ['a long name', { name: 'x'.repeat(121) }, 'name', /at most 120/],
    ['an order as text', { order: '1' }, 'order', /whole number/],
    ['half an order', { order: 1.5 }, 'order', /whole number/],
    ['a huge order', { order: 2_147_483_648 }, 'order', /at most/],
    ['disabled as a number', { disabled: 0 }, 'disabled', /true or false/],
    ['an invalid zone', { fs_timezone: 'Europe/Atlantis' }, 'fs_timezone', /null or the name/],
    ['a zone in small letters', { fs_timezone: 'europe/paris' }, 'fs_timezone', /null or the name/],
    ['an offset', { fs_timezone: '+03:00' }, 'fs_timezone', /null or the name/],
    ['a path', { fs_timezone: '../../etc/passwd' }, 'fs_timezone', /null or the name/],
    ['an empty zone', { fs_timezone: '' }, 'fs_timezone', /./],
    ['a zone as a number', { fs_timezone: 2 }, 'fs_timezone', /./],
    ['a long description', { description: 'x'.repeat(501) }, 'description', /at most 500/],
    ['a callflow that is no list', { callflow: { answer: '' } }, 'callflow', /list of steps/],
    ['an unknown step', { callflow: [{ answer: '' }, { foo: 1 }] }, 'callflow[1]', /unknown step "foo"/],
    [
      'a wrong condition',
      { callflow: [{ if: { expression: '${a} ==', then: [] } }] },
      'callflow[0].if.expression',
      /at character 8/,
    ],
  ])(
    'a route that breaks the rules is refused with its field, and nothing is written: %s',
    async (_title, given, field, problem) => {
      const id = await created()
      const before = structuredClone([...api.ports.state.routes])

      for (const answer of [await create(input(given)), await replace(id, input(given))]) {
        expect(answer.status).toBe(400)
        expect(answer.body.details[0]).toEqual({ field, problem: expect.stringMatching(problem) })
      }
      expect([...api.ports.state.routes]).toEqual(before)
    },
  )

  it.each(['(a+)+$', '(.*)*$', '(a|a)+$', '/^\\+?38(0\\d{9})$/i', '^(\\d+)$'])(
    'a route with %s is accepted',
    async (pattern) => {
      expect((await create(input({ destination_number: pattern }))).status).toBe(200)
    },
  )

  it.each(['Europe/Kyiv', 'Europe/Kiev', 'UTC', 'Etc/GMT+2', 'US/Pacific', 'America/Argentina/Buenos_Aires'])(
    'but the zone %s is one',
    async (zone) => {
      expect((await create(input({ fs_timezone: zone }))).status).toBe(200)
    },
  )

  it('a callflow above 256 KiB is refused although a body may be larger', async () => {
    const steps = Array.from({ length: 4 }, () => ({ playback: `${'x'.repeat(66_000)}.wav` }))

    expect(await create(input({ callflow: steps }))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'callflow' }] },
    })
    expect((await create(input({ callflow: steps.slice(1) }))).status).toBe(200)
  })

  it('a request body above 1 MiB is refused', async () => {
    const callflow = [{ log: 'x'.repeat(1_048_576) }]

    expect(await create(input({ callflow }))).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })

  it.each(['[]', 'null', '{', '{"destination_number":"1","destination_number":"2"}', '{"callflow":[{"__proto__":1}]}'])(
    'the body %s',
    async (rawBody) => {
      const typed = { ...headers, 'content-type': 'application/json' }

      expect((await api.call(createDefaultRoute, { headers: typed, rawBody })).status).toBe(400)
    },
  )
})

describe('the 1001st route', () => {
  it('the 1001st route is a conflict, also when two requests compete for the 1000th', async () => {
    for (let order = 1; order < 1_000; order += 1) await stored({ order })

    const answers = await Promise.all([create(), create()])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(await create()).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })
})

describe('steps that run programs', () => {
  const scripted = input({ callflow: [{ answer: '' }, { js: { data: 'return 1' } }] })

  it('steps that run programs are refused by default', async () => {
    expect(await create(scripted)).toMatchObject({ status: 400, body: { details: [{ field: 'callflow[1]' }] } })
  })

  it('steps that run programs are refused even if the deployment allows them, since the engine cannot run them', async () => {
    await start({ SCRIPT_STEPS: 'on' })

    expect(await create(scripted)).toMatchObject({ status: 400, body: { details: [{ field: 'callflow[1].js' }] } })
  })

  it('the setting for steps that run programs must be one of two words', () => {
    expect(() => anApi({ SCRIPT_STEPS: 'yes' })).toThrow('SCRIPT_STEPS')
  })
})

describe('who may do what', () => {
  it.each(['b.example.com', 'b.a.example.com', 'a.example.com.b'])(
    'an admin of %s neither finds nor changes the routes of others',
    async (domain) => {
      const id = await created()
      const before = structuredClone([...api.ports.state.routes])
      headers = { ...(await api.as(await api.account({ domain, role: 'admin' }))) }

      expect((await list()).body).toEqual([])
      for (const answer of [await read(id), await replace(id), await up(id), await down(id), await remove(id)]) {
        expect(answer.status).toBe(404)
      }
      expect([...api.ports.state.routes]).toEqual(before)
    },
  )
})
