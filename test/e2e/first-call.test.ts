import { Webhook } from 'standardwebhooks'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Client, Input } from '../../client/index.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

const within = { timeout: 20_000 }
const domain = 'first.example.com'
const neighbour = 'first.example.com.au'
let platform: TestPlatform
let admin: Client
let stranger: Client

beforeAll(async () => {
  platform = await aPlatform()
  admin = await platform.tenant(domain)
  stranger = await platform.tenant(neighbour)
})

/** No test's call is there in the next. */
afterEach(async () => {
  const socket = await platform.engine()
  await socket.api('hupall')
  await socket.close()
})

afterAll(async () => {
  await platform.close()
})

async function placeCall(
  client: Client,
  body: Input<'originateCall'>['body'] = { callerId: '1001', calledId: '9196' },
): Promise<string> {
  const { info } = await client.call('originateCall', { body })
  return info.replace('+OK ', '').trim()
}

async function rowOf(client: Client, uuid: string) {
  return (await client.call('listChannels')).data.rows.find((row) => row['uuid'] === uuid)
}

describe('a call by the API', () => {
  it('a call by the API is placed, listed, held, resumed and ended', async () => {
    const uuid = await placeCall(admin)
    const params = { channel_id: uuid }

    expect(await rowOf(admin, uuid)).toMatchObject({ dest: '9196', callstate: 'ACTIVE', presence_id: `1001@${domain}` })
    expect(await admin.call('holdChannel', { params, body: { state: 'hold' } })).toEqual({
      status: 'OK',
      info: '+OK Success\n',
    })
    expect(await rowOf(admin, uuid)).toMatchObject({ callstate: 'HELD' })
    expect(await admin.call('holdChannel', { params, body: { state: 'hold' } })).toEqual({
      status: 'OK',
      info: '+OK Success\n',
    })
    expect(await admin.call('holdChannel', { params, body: { state: 'unhold' } })).toEqual({
      status: 'OK',
      info: '+OK Success\n',
    })
    expect(await rowOf(admin, uuid)).toMatchObject({ callstate: 'ACTIVE' })
    expect(await admin.call('hangUpChannel', { params })).toEqual({ status: 'OK', info: '+OK\n' })
    await expect(admin.call('hangUpChannel', { params })).rejects.toThrow('404: not_found')
  })

  it('a call of another tenant does not exist', async () => {
    const uuid = await placeCall(admin)
    const params = { channel_id: uuid }

    expect(await rowOf(stranger, uuid)).toBeUndefined()
    await expect(stranger.call('holdChannel', { params, body: { state: 'hold' } })).rejects.toThrow('404: not_found')
    await expect(stranger.call('eavesdropChannel', { params, body: {} })).rejects.toThrow('404: not_found')
    await expect(stranger.call('hangUpChannel', { params })).rejects.toThrow('404: not_found')
    expect(await rowOf(admin, uuid)).toMatchObject({ callstate: 'ACTIVE' })
    await admin.call('hangUpChannel', { params })
  })

  it('a call of another user does not exist for a user who may see only the own calls', async () => {
    const user = await platform.logIn(`1002@${domain}`, tenantPassword('1002'))
    const uuid = await placeCall(admin)
    const own = await placeCall(user, { calledId: '9196' })

    expect((await user.call('listChannels')).data.rows.map((row) => row['uuid'])).toEqual([own])
    await expect(user.call('hangUpChannel', { params: { channel_id: uuid } })).rejects.toThrow('404: not_found')
    await user.call('hangUpChannel', { params: { channel_id: own } })
    await admin.call('hangUpChannel', { params: { channel_id: uuid } })
  })

  it('a call can be listened to by an admin of its domain', async () => {
    const uuid = await placeCall(admin)
    const { info } = await admin.call('eavesdropChannel', { params: { channel_id: uuid }, body: { user: '1002' } })

    expect(info).toMatch(/^\+OK [0-9a-f-]{36}\n$/)
    await admin.call('hangUpChannel', { params: { channel_id: info.replace('+OK ', '').trim() } })
    await admin.call('hangUpChannel', { params: { channel_id: uuid } })
  })

  it('a call that the called phone refuses is answered with the words of the engine', async () => {
    await expect(admin.call('originateCall', { body: { callerId: 'nobody', calledId: '9196' } })).rejects.toThrow(
      '404: not_found',
    )
  })
})

describe('a hook', () => {
  it('a hook receives the signed events of its domain, and of no other', async () => {
    const [receiver, foreign] = await Promise.all([platform.receiver(), platform.receiver()])
    const hook = (url: string) => ({
      event: 'CHANNEL_HANGUP_COMPLETE',
      action: { type: 'web' as const, method: 'POST', url },
    })
    const created = await admin.call('createHooks', { query: { domain }, body: hook(receiver.url) })
    await stranger.call('createHooks', { query: { domain: neighbour }, body: hook(foreign.url) })
    await platform.hooksInForce(admin, domain)
    const foreignCall = await placeCall(stranger)
    const uuid = await placeCall(admin)
    await stranger.call('hangUpChannel', { params: { channel_id: foreignCall } })
    await admin.call('hangUpChannel', { params: { channel_id: uuid } })

    const [received, elsewhere] = await Promise.all([
      receiver.next('CHANNEL_HANGUP_COMPLETE'),
      foreign.next('CHANNEL_HANGUP_COMPLETE'),
    ])

    const secret = created.data.secrets[created.data.insertedIds[0] ?? ''] ?? ''
    const headers = Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, String(value)]))
    expect(new Webhook(secret).verify(received.body, headers)).toMatchObject({
      id: headers['webhook-id'],
      action: 'CHANNEL_HANGUP_COMPLETE',
      data: { 'Unique-ID': uuid, 'Event-Domain': domain, 'Hangup-Cause': 'NORMAL_CLEARING' },
    })
    expect(elsewhere.body).toContain(foreignCall)
    expect(elsewhere.body).not.toContain(uuid)
  })

  it('a hook never shows its secret again', async () => {
    const created = await admin.call('createHooks', {
      query: { domain },
      body: { event: 'DTMF', action: { type: 'web' as const, method: 'POST', url: 'https://hooks.example.com/' } },
    })

    const listed = JSON.stringify(await admin.call('listHooks', { query: { domain } }))

    for (const secret of Object.values(created.data.secrets)) {
      expect(secret).toMatch(/^whsec_/)
      expect(listed).not.toContain(secret.replace('whsec_', ''))
    }
  })
})

describe('the id of a request', () => {
  /** The lines of a log that have the id, by their messages. */
  const linesWith = (log: string, requestId: string) =>
    readFileSync(join(platform.dataDir, 'logs', log), 'utf8')
      .split('\n')
      .filter((line) => line.includes(requestId))
      .map((line) => String(JSON.parse(line).message))

  it('the id of a request appears in its response, in the logs of every stage and in the delivery that it caused', async () => {
    const receiver = await platform.receiver()
    const action = { type: 'web' as const, method: 'POST', url: receiver.url }
    const created = await admin.call('createHooks', { query: { domain }, body: { event: 'CHANNEL_ANSWER', action } })
    const hook = { params: { hook_id: created.data.insertedIds[0] ?? '' }, query: { domain } }
    await platform.hooksInForce(admin, domain)

    const { body, headers } = await admin.callForHeaders('originateCall', {
      body: { callerId: '1001', calledId: '9196' },
    })

    const requestId = headers.get('x-request-id') ?? 'none'
    await receiver.next('CHANNEL_ANSWER')
    const listed = async () =>
      (await admin.call('listDeliveries', hook)).data.map((one) => [one.uuid, one.requestId, one.state])
    await expect.poll(listed, within).toEqual([[body.info.replace('+OK ', '').trim(), requestId, 'delivered']])
    await expect
      .poll(() => linesWith('functions.log', requestId), within)
      .toEqual(expect.arrayContaining(['request', 'event dispatched', 'attempt made']))
    await expect.poll(() => linesWith('connector.log', requestId), within).toContain('a command ended')
  })
})

describe('reports of the engine', () => {
  it('registered phones make accounts online', async () => {
    const account = async () => (await admin.call('listAccounts')).data['1001']

    // The last call of the tests before has just ended.
    await expect
      .poll(account, { timeout: 10_000 })
      .toEqual({ id: '1001', domain, scheme: 'account', online: true, state: 'onhook' })
  })

  it('the status report shows the engine', async () => {
    const report = await admin.call('readStatus')

    expect(report.wConsole).toMatchObject({ status: 'Connected', sid: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(report.freeSWITCH).toMatch(/^UP /)
    expect(report.crashCount).toBe('0')
  })
})
