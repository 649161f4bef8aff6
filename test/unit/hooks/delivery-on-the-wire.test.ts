import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { guardedHookClient } from '../../../adapters/http/guarded-hook-client.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { aWireHarness } from '../../support/hooks/wire-harness.ts'
import { aSink } from '../../support/hooks/guarded-harness.ts'
import { anEvent } from '../../support/records/records.ts'

/** A way with the hook client of a deployment. */
function aHarness(allowedNetworks = '127.0.0.0/8') {
  const context = { clock: systemClock, random: systemRandomness, env: { HOOK_ALLOWED_NETWORKS: allowedNetworks } }
  return aWireHarness({ clock: systemClock, hookClient: guardedHookClient(context) })
}

const hostile = { 'Caller-Caller-ID-Name': 'Žofie "山田" \\ \n' }

it.each(['POST', 'PUT', 'PATCH', 'GET', 'DELETE'])(
  'a %s arrives with a signature that the standardwebhooks library accepts, over the very bytes that came',
  async (method) => {
    const sink = await aSink()
    const harness = aHarness()
    const { secret } = await harness.hook(sink.url('/in'), {}, method)

    const [delivery] = await harness.deliver(anEvent({ fields: hostile }))

    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200, replySnippet: 'ok' }] })
    const [request] = sink.requests
    const headers = { ...request?.headers }
    const webhook = new Webhook(secret)
    expect(() => webhook.verify(request?.body ?? '', headers)).not.toThrow()
    expect(() => webhook.verify(`${request?.body}x`, headers)).toThrow('No matching signature found')
    expect(headers['webhook-id']).toBe(delivery?.id)
  },
)

it("the body of a hook's request has the values of the event, unchanged", async () => {
  const sink = await aSink()
  const harness = aHarness()
  await harness.hook(sink.url())
  const event = anEvent({ fields: hostile })

  const [delivery] = await harness.deliver(event)

  const body: unknown = JSON.parse(sink.requests[0]?.body ?? '')
  expect(body).toEqual({ id: delivery?.id, action: 'CHANNEL_CREATE', data: hostile })
})

it("a value of an event cannot add a header to a hook's request", async () => {
  const sink = await aSink()
  const harness = aHarness()
  await harness.hook(sink.url(), { headers: { 'X-Name': '${name}' } })

  await harness.deliver(anEvent({ fields: { name: 'a\r\nX-Evil: 1\r\n\r\nGET /second HTTP/1.1' } }))

  expect(sink.requests).toHaveLength(1)
  expect(sink.requests[0]?.headers).not.toHaveProperty('x-evil')
  expect(sink.requests[0]?.headers['x-name']).toBe('aX-Evil: 1GET /second HTTP/1.1')
})

it('each hook signs with its own secret', async () => {
  const sink = await aSink()
  const harness = aHarness()
  const hooks = [await harness.hook(sink.url('/first')), await harness.hook(sink.url('/second'))]

  await harness.deliver(anEvent())

  for (const { target, body, headers } of sink.requests) {
    const [own, other] = target === '/first' ? hooks : hooks.toReversed()
    expect(() => new Webhook(own?.secret ?? '').verify(body, { ...headers })).not.toThrow()
    expect(() => new Webhook(other?.secret ?? '').verify(body, { ...headers })).toThrow('No matching signature found')
  }
  expect(sink.requests).toHaveLength(2)
})

it('a pending delivery is not sent to a receiver whose network is no longer allowed', async () => {
  const sink = await aSink()
  const harness = aHarness('')
  await harness.hook(sink.url())

  const [delivery] = await harness.deliver(anEvent())

  expect(delivery).toMatchObject({ state: 'pending', attempts: [{ reason: 'blocked address' }] })
  expect(sink.connections()).toBe(0)
})

it('the result of an attempt is logged, without its target, content or secret', async () => {
  const sink = await aSink()
  const harness = aHarness()
  const { secret } = await harness.hook(sink.url('/planted-path'), { headers: { Authorization: 'planted-header' } })

  await harness.deliver(anEvent({ fields: { 'Caller-Caller-ID-Name': 'planted-value' } }))

  expect(harness.log.lines).toMatchObject([{ level: 'debug', keys: { domain: 'a.example.com', state: 'delivered' } }])
  const logged = JSON.stringify(harness.log.lines)
  for (const planted of [secret.slice(6), 'planted-path', 'planted-header', 'planted-value']) {
    expect(logged).not.toContain(planted)
  }
})
