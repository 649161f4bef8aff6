import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import type { ReceivedRequest, Receiver } from '../../local/demo/receiver.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

const domain = 'hooks.example.com'
const query = { domain }
const event = 'CUSTOM->svc::user_create'

let platform: TestPlatform
let admin: Client
let receiver: Receiver
let params: { readonly hook_id: string }
let secret: string

beforeAll(async () => {
  platform = await aPlatform()
  admin = await platform.tenant(domain)
  receiver = await platform.receiver()
  const action = { type: 'web', method: 'POST', url: receiver.url } as const
  const { data } = await admin.call('createHooks', { query, body: { event, action } })
  params = { hook_id: data.insertedIds[0] ?? '' }
  secret = data.secrets[params.hook_id] ?? ''
})

afterAll(() => platform.close())

const idOf = ({ headers }: ReceivedRequest) => String(headers['webhook-id'])
const verify = ({ headers, body }: ReceivedRequest, key: string) =>
  new Webhook(key).verify(
    body,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  )

async function anEvent(login: string): Promise<ReceivedRequest> {
  await admin.call('createAccount', { query, body: { login, role: 'user', password: tenantPassword(login) } })
  return receiver.next(event)
}

it('a hook can be tested, watched, rehearsed and sent to again, and its secret rotated', async () => {
  const tested = (await admin.call('testHook', { params, query })).data
  const sample = await receiver.next(event)
  expect(tested).toMatchObject({ state: 'delivered', delivery: idOf(sample), reply: { status: 204 } })
  expect(tested.sent?.body).toBe(sample.body)
  verify(sample, secret)

  const first = await anEvent('2001')
  const log = (await admin.call('listDeliveries', { params, query })).data
  expect(new Set(log.map(({ id }) => id))).toEqual(new Set([idOf(first), idOf(sample)]))
  expect(log.find(({ id }) => id === idOf(first))).toMatchObject({
    event,
    sequence: Number(first.headers['webhook-sequence']),
  })

  const definition = { event, action: { type: 'web', method: 'POST', url: receiver.url } as const }
  const rehearsed = (await admin.call('dryRunHook', { query, body: definition })).data
  expect(rehearsed).toMatchObject({ matched: 1, refused: 0 })
  const [shown] = rehearsed.events
  expect(shown?.request?.body).toBe(first.body.replace(idOf(first), `msg_${'0'.repeat(32)}`))
  const filter = { 'User-ID': { operation: '==', value: '3000' } } as const
  const refused = (await admin.call('dryRunHook', { query, body: { ...definition, filter } })).data
  expect(refused.events).toMatchObject([{ matches: false, refusedBy: [{ field: 'User-ID', found: '2001' }] }])

  await admin.call('resendDelivery', { params: { ...params, delivery_id: idOf(first) }, query })
  const again = await receiver.next(event)
  expect([idOf(again), again.body]).toEqual([idOf(first), first.body])

  const now = Date.now()
  const { data: replayed } = await admin.call('replayDeliveries', {
    params,
    query,
    body: { from: now - 600_000, to: now },
  })
  expect(replayed).toMatchObject({ requeued: 1, next: null })
  expect(idOf(await receiver.next(event))).toBe(idOf(first))

  const { data: rotated } = await admin.call('rotateHookSecret', { params, query })
  const second = await anEvent('2002')
  for (const key of [secret, rotated.secrets[params.hook_id] ?? '']) verify(second, key)

  await admin.call('updateHook', { params, query, body: { description: 'watched' } })
  expect((await admin.call('readHook', { params, query })).data).toMatchObject({ description: 'watched', enable: true })
  await admin.call('deleteHook', { params, query })
  await expect(admin.call('readHook', { params, query })).rejects.toThrow('404')
})

it('an event above 200 KB is delivered whole, also when it is sent again', async () => {
  const large = 'CUSTOM->engine::large'
  const action = { type: 'web', method: 'POST', url: receiver.url } as const
  const { data } = await admin.call('createHooks', { query, body: { event: large, action } })
  await platform.hooksInForce(admin, domain)
  const engine = await platform.engine()
  const header = { name: 'Notes', value: 'n'.repeat(600_000) }

  engine.sendEvent('engine::large', domain, header)
  const first = await receiver.next(large)

  expect(JSON.parse(first.body)).toMatchObject({ action: large, data: { Notes: header.value } })
  const delivery = { hook_id: data.insertedIds[0] ?? '', delivery_id: idOf(first) }
  await admin.call('resendDelivery', { params: delivery, query })
  expect((await receiver.next(large)).body).toBe(first.body)
  await engine.close()
})
