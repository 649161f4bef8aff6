import { beforeEach, describe, expect, it } from 'vitest'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { handler as deleteHook } from '../../../functions/hooks/delete-hook.ts'
import { handler as listHooks } from '../../../functions/hooks/list-hooks.ts'
import { handler as readHook } from '../../../functions/hooks/read-hook.ts'
import { handler as replaceHook } from '../../../functions/hooks/replace-hook.ts'
import { handler as rotateHookSecret } from '../../../functions/hooks/rotate-hook-secret.ts'
import { handler as updateHook } from '../../../functions/hooks/update-hook.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { aHook } from '../../support/records/records.ts'

const domain = 'a.example.com'
const id = 'c'.repeat(24)
const params = { hook_id: id }

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

/** A stored hook with something in every field. */
async function aFullHook(given: Partial<Hook> = {}): Promise<Hook> {
  const hook = aHook({
    id,
    description: 'first',
    fields: ['a'],
    map: { a: 'b' },
    headers: { 'X-A': '1' },
    customBody: true,
    rawBody: '{}',
    retries: 3,
    delay: 9,
    ...given,
  })
  await api.ports.hooks.create([hook], 100)
  return hook
}

const stored = () => api.ports.hooks.read(domain, id)
const read = (): Promise<ApiAnswer> => api.call(readHook, { headers, params })
const replace = (body: unknown, more = {}): Promise<ApiAnswer> =>
  api.call(replaceHook, { headers: { ...headers, ...more }, params, body })
const update = (body: unknown, more = {}): Promise<ApiAnswer> =>
  api.call(updateHook, { headers: { ...headers, ...more }, params, body })
const remove = (more = {}): Promise<ApiAnswer> => api.call(deleteHook, { headers: { ...headers, ...more }, params })
const rotate = (more = {}): Promise<ApiAnswer> =>
  api.call(rotateHookSecret, { headers: { ...headers, ...more }, params })

describe('one hook', () => {
  it('one hook is read as the list shows it, with a version', async () => {
    await aFullHook()

    const answer = await read()

    expect(answer.status).toBe(200)
    expect([answer.body.data]).toEqual((await api.call(listHooks, { headers })).body.data)
    expect(answer.body.data).toMatchObject({ _id: id, domain, rawBody: '{}', delay: 9 })
    expect(answer.headers['ETag']).toMatch(/^W\/"[\w-]+"$/)
  })

  it('one hook shows why the platform switched it off', async () => {
    await aFullHook({ enable: false, disabledReason: '410 Gone' })

    expect((await read()).body.data).toMatchObject({ enable: false, disabledReason: '410 Gone' })
  })

  it.each(['', 'x', 'C'.repeat(24), 'd'.repeat(24), `${id}0`, '__proto__'])(
    'a hook with the id "%s" is not found',
    async (other) => {
      await aFullHook()
      const missing = { headers, params: { hook_id: other } }

      for (const answer of [
        await api.call(readHook, missing),
        await api.call(replaceHook, { ...missing, body: aHookInput() }),
        await api.call(updateHook, { ...missing, body: {} }),
        await api.call(deleteHook, missing),
        await api.call(rotateHookSecret, missing),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', info: 'Hook not found' } })
      }
    },
  )
})

describe('a replacement', () => {
  it('a replacement gives omitted fields their defaults, and keeps id, domain, secrets and creation time', async () => {
    const { secrets, createdAt } = await aFullHook()

    const { status, body } = await replace({ ...aHookInput({ event: 'DTMF' }), _id: 'f'.repeat(24), secrets: [] })

    expect(status).toBe(200)
    expect(body.data).toEqual({
      _id: id,
      domain,
      ...aHookInput({ event: 'DTMF' }),
      enable: true,
      description: '',
      fields: [],
      map: {},
      filter: {},
      headers: {},
      auth: { enabled: false, url: '', method: 'GET', headers: {}, map: {}, cookie: false },
      customBody: false,
      rawBody: '',
      retries: 8,
    })
    expect((await read()).body).toEqual(body)
    expect(await stored()).toMatchObject({ secrets, createdAt, version: 2 })
  })

  it.each([
    ['a broken rule', 'event', { event: 'ALL' }],
    ['a wrong type', 'retries', { retries: 'many' }],
    ['a forbidden URL', 'action.url', { action: { type: 'web', method: 'POST', url: 'http://127.0.0.1/' } }],
    ['a pattern that does not compile', 'filter.a.value', { filter: { a: { operation: 'reg', value: '(' } } }],
  ])('a replacement with %s is refused with the field, and changes nothing', async (_what, field, given) => {
    const hook = await aFullHook()

    const { status, body } = await replace({ ...aHookInput(), ...given })

    expect(status).toBe(400)
    expect(body.details).toContainEqual({ field, problem: expect.any(String) })
    expect(await stored()).toEqual(hook)
  })

  it('a replacement of a hook without a required field is refused', async () => {
    await aFullHook()

    expect(await replace({ event: 'DTMF' })).toMatchObject({ status: 400, body: { code: 'missing_field' } })
  })
})

describe('a change', () => {
  it('a change of a hook replaces the given fields as a whole, and no others', async () => {
    await aFullHook({ filter: { a: { operation: '==', value: 1 } } })
    const before = (await read()).body.data

    const { status, body } = await update({ description: 'second', map: { c: 'd' }, filter: {} })

    expect(status).toBe(200)
    expect(body.data).toEqual({ ...before, description: 'second', map: { c: 'd' }, filter: {} })
    expect((await read()).body).toEqual(body)
  })

  it('an empty change leaves the hook as it was', async () => {
    await aFullHook()
    const before = (await read()).body

    expect((await update({})).body).toEqual(before)
  })

  it('a change of a hook with delay null restores the standard waits', async () => {
    await aFullHook()

    expect((await update({ delay: null })).body.data).not.toHaveProperty('delay')
    expect(await stored()).not.toHaveProperty('delay')
  })

  it.each([
    ['event', { event: 'ALL' }],
    ['action.url', { action: { type: 'web', method: 'POST', url: 'ftp://x.example.com' } }],
    ['action.type', { action: { method: 'POST', url: 'https://receiver.example.com/' } }],
    ['headers.Host', { headers: { Host: 'x' } }],
    ['delay', { delay: 0 }],
    ['enable', { enable: null }],
    ['auth.url', { auth: { enabled: true } }],
  ])('a change that breaks a rule of %s is refused, and changes nothing', async (field, body) => {
    const hook = await aFullHook()

    const answer = await update(body)

    expect(answer.status).toBe(400)
    expect(answer.body.details).toContainEqual({ field, problem: expect.any(String) })
    expect(await stored()).toEqual(hook)
  })

  it('a change to a custom body requires a body, given now or stored before', async () => {
    await aFullHook({ customBody: false, rawBody: '' })

    expect(await update({ customBody: true })).toMatchObject({ status: 400, body: { details: [{ field: 'rawBody' }] } })
    expect(await update({ rawBody: '{"a":1}' })).toMatchObject({ status: 200 })
    expect(await update({ customBody: true })).toMatchObject({ status: 200, body: { data: { rawBody: '{"a":1}' } } })
  })

  it('a hook can be changed although an unchanged field would not be allowed any more', async () => {
    await aFullHook({ action: { type: 'web', method: 'POST', url: 'http://10.0.0.1/' } })

    expect(await update({ enable: false })).toMatchObject({ status: 200, body: { data: { enable: false } } })
  })

  it('a hook cannot grow larger than the store accepts by changes of single fields', async () => {
    await aFullHook()
    const long = 'x'.repeat(2048)
    const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, long]))
    const auth = { headers: texts(50), map: texts(60) }
    expect((await update({ auth })).status).toBe(200)

    const { status, body } = await update({ headers: texts(50) })

    expect(status).toBe(400)
    expect(body.details).toEqual([{ field: 'headers', problem: 'makes the hook larger than 307200 bytes as JSON' }])
    expect((await stored())?.headers).toEqual({ 'X-A': '1' })
    expect((await update({ enable: false })).status).toBe(200)
  })
})

describe('why a hook was switched off', () => {
  const off = { enable: false, disabledReason: '410 Gone' }

  it.each([
    ['a replacement that does not say', () => replace(aHookInput()), undefined],
    ['a change to on', () => update({ enable: true }), undefined],
    ['a replacement that is off', () => replace({ ...aHookInput(), enable: false }), '410 Gone'],
    ['a change of something else', () => update({ description: 'x' }), '410 Gone'],
  ])('the reason why a hook was switched off is correct after %s', async (_what, change, reason) => {
    await aFullHook(off)

    const { body } = await change()

    expect(body.data.disabledReason).toBe(reason)
    expect((await stored())?.disabledReason).toBe(reason)
  })
})

describe('what the platform noted of a hook', () => {
  const noted = { failures: 7, failingSince: 1, lateAt: 1, noticeDue: true }

  it.each([
    ['a replacement', () => replace(aHookInput()), true],
    ['a change', () => update({ description: 'x', enable: true }), true],
    ['a change that leaves it off', () => update({ description: 'x' }), false],
    ['a new secret', () => rotate(), false],
  ])(
    'a hook has the right notes of the platform after %s: its failures are forgotten, its speed is not',
    async (_what, change, isOn) => {
      await aFullHook({ enable: false, disabledReason: 'failed', ...noted })

      expect((await change()).status).toBe(200)

      const hook = await stored()
      expect(hook).toMatchObject({ lateAt: 1, enable: isOn })
      for (const name of ['failures', 'failingSince']) expect(hook).not.toHaveProperty(name)
      expect(hook?.noticeDue).toBe(isOn ? undefined : true)
    },
  )
})

describe('a removal', () => {
  it('a removal of a hook returns how many there were, and makes room for another hook', async () => {
    await aFullHook()

    expect(await remove()).toMatchObject({ status: 200, body: { status: 'OK', data: { ok: 1, n: 1 } } })
    expect(await remove()).toMatchObject({ status: 404 })
    expect(api.ports.state.hooks.size).toBe(0)
  })
})

describe('If-Match', () => {
  it('a change of a hook under If-Match succeeds on the version that was read, and on no other', async () => {
    await aFullHook()
    const { ETag: first = '' } = (await read()).headers
    const { ETag: second = '' } = (await update({ description: 'x' }, { 'if-match': first })).headers
    expect(second).not.toBe(first)

    for (const answer of [
      await update({ description: 'y' }, { 'if-match': first }),
      await replace(aHookInput(), { 'if-match': first }),
      await remove({ 'if-match': first }),
    ]) {
      expect(answer).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    }
    expect(await replace(aHookInput(), { 'if-match': second })).toMatchObject({ status: 200 })
    expect(await remove({ 'if-match': (await read()).headers['ETag'] })).toMatchObject({ status: 200 })
  })
})

describe('a rotation', () => {
  const secretsOf = async (): Promise<string[]> => {
    const purpose = `hook-secret:${domain}:${id}`
    const opened = ((await stored())?.secrets ?? []).map(({ sealed }) => api.ports.secretBox.open(sealed, purpose))
    return (await Promise.all(opened)).map((secret) => `whsec_${Buffer.from(secret).toString('base64')}`)
  }
  const dayMs = 24 * 3_600_000

  /** A hook made through the API, and its first secret. */
  async function aMadeHook(): Promise<{ made: string; secret: string }> {
    const { body } = await api.call(createHooks, { headers, body: aHookInput() })
    const [hook] = api.ports.state.hooks.values()
    api.ports.state.hooks.clear()
    if (hook === undefined) throw new Error('the hook of the test is not made')
    const opened = await api.ports.secretBox.open(hook.secrets[0]?.sealed ?? '', `hook-secret:${domain}:${hook.id}`)
    const sealed = await api.ports.secretBox.seal(opened, `hook-secret:${domain}:${id}`)
    await aFullHook({ secrets: [{ sealed }] })
    const secret: string = body.data.secrets[hook.id]
    return { made: hook.id, secret }
  }

  it('a rotation shows a new secret once, and the previous one signs together with it for 24 hours', async () => {
    const { secret: before } = await aMadeHook()

    const { status, body } = await rotate()

    expect(status).toBe(200)
    const until = api.clock.now() + dayMs
    expect(body.data).toEqual({
      _id: id,
      secrets: { [id]: expect.stringMatching(/^whsec_.{44}$/) },
      previousUntil: until,
    })
    expect(await secretsOf()).toEqual([body.data.secrets[id], before])
    expect((await stored())?.secrets.map((secret) => secret.until)).toEqual([undefined, until])
    expect((await read()).text).not.toContain('whsec_')
  })

  it('a second rotation within a day ends the oldest secret at once, so that at most two sign', async () => {
    const { secret: first } = await aMadeHook()
    const second = (await rotate()).body.data.secrets[id]
    api.clock.move(1_000)

    const { body } = await rotate()

    expect(await secretsOf()).toEqual([body.data.secrets[id], second])
    expect(await secretsOf()).not.toContain(first)
    expect(body.data.previousUntil).toBe(api.clock.now() + dayMs)
  })

  it('a rotation of its secret makes a new version of the hook', async () => {
    await aFullHook()
    const { ETag: before = '' } = (await read()).headers

    await rotate()

    expect((await update({}, { 'if-match': before })).status).toBe(412)
  })

  it('a rotation that is repeated with its key returns the same secret and rotates once', async () => {
    await aMadeHook()
    const key = { 'idempotency-key': 'k' }

    const [first, second] = [await rotate(key), await rotate(key)]

    expect(second).toMatchObject({ body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
    expect((await stored())?.version).toBe(2)
    expect(JSON.stringify([...api.ports.state.requestKeys.values()])).not.toContain(first.body.data.secrets[id])
  })

  it('a rotation logs and audits no secret', async () => {
    await aFullHook()

    const { body } = await rotate()

    const traces = JSON.stringify([api.log.lines, api.ports.state.audit])
    expect(traces).not.toContain(body.data.secrets[id].slice('whsec_'.length))
    expect(api.ports.state.audit).toMatchObject([{ method: 'POST', path: `/api/v2/hooks/${id}/secret`, status: 200 }])
  })
})

describe('the trail', () => {
  it('the audit trail has a line for each change of a hook, with the names of the fields', async () => {
    await aFullHook()

    await read()
    await replace(aHookInput())
    await update({ description: 'x' })
    await remove()

    expect(api.ports.state.audit.map(({ method, fields }) => [method, fields])).toEqual([
      ['PUT', ['action', 'event']],
      ['PATCH', ['description']],
      ['DELETE', []],
    ])
  })
})
