import { Webhook } from 'standardwebhooks'
import { afterEach, expect, it } from 'vitest'
import { hmacSha256 } from '../../../adapters/crypto/hmac-sha256.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { guardedHookClient } from '../../../adapters/http/guarded-hook-client.ts'
import { memoryPorts } from '../../../adapters/memory/memory-ports.ts'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { deliveryId } from '../../../adapters/crypto/delivery-id.ts'
import { systemClock } from '../../../adapters/system/system-clock.ts'
import { attemptDelivery } from '../../../core/hooks/attempt-delivery.ts'
import { createHooks } from '../../../core/hooks/create-hooks.ts'
import { dispatchEvent } from '../../../core/hooks/dispatch-event.ts'
import { aHookInput } from '../../support/hook-input.ts'
import { answering, type HookSink, startHookSink } from '../../support/hook-sink.ts'
import { anEvent } from '../../support/records.ts'

let sink: HookSink

afterEach(() => sink.close())

/** The whole way of an event to a receiver, over memory stores and real sockets. */
async function aWay(method: string, allowedNetworks = '127.0.0.0/8') {
  const context = { clock: systemClock, random: systemRandomness, env: { HOOK_ALLOWED_NETWORKS: allowedNetworks } }
  const ports = { ...memoryPorts(context), hookClient: guardedHookClient(context) }
  const tools = { ...ports, ...context, hmac: hmacSha256, compile: linearPattern, deliveryIdOf: deliveryId }
  const judges = { guard: addressGuard('127.0.0.0/8'), compile: linearPattern }
  const input = aHookInput({ action: { type: 'web', method, url: sink.url('/in') } })
  const { secrets } = await createHooks({ ...tools, judges }, 'a.example.com', input)
  return {
    secret: Object.values(secrets)[0] ?? '',
    ports,
    deliver: async (fields: Record<string, string>) => {
      await dispatchEvent(tools, anEvent({ fields }))
      for (const message of ports.deliveryQueue.queued.splice(0)) await attemptDelivery(tools, message)
      return [...ports.state.deliveries.values()]
    },
  }
}

it.each(['POST', 'PUT', 'PATCH', 'GET', 'DELETE'])(
  'a %s arrives with a signature that the standardwebhooks library accepts, made over its very bytes',
  async (method) => {
    sink = await startHookSink()
    const { secret, deliver } = await aWay(method)

    const [delivery] = await deliver({ 'Caller-Caller-ID-Name': 'Žofie "山田" \ud800\n' })

    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
    const [request] = sink.requests
    const headers = { ...request?.headers }
    const webhook = new Webhook(secret)
    expect(() => webhook.verify(request?.body ?? '', headers)).not.toThrow()
    expect(() => webhook.verify(`${request?.body}x`, headers)).toThrow('No matching signature found')
    expect(headers['webhook-id']).toBe(delivery?.id)
  },
)

it('another hook of the same receiver cannot verify with its own secret', async () => {
  sink = await startHookSink()
  const first = await aWay('POST')
  const second = await aWay('POST')

  await first.deliver({})

  const [request] = sink.requests
  expect(() => new Webhook(second.secret).verify(request?.body ?? '', { ...request?.headers })).toThrow(
    'No matching signature found',
  )
})

it('a receiver that redirects is a failed attempt with its status', async () => {
  sink = await startHookSink(answering(302, '', { location: 'http://169.254.169.254/' }))
  const { deliver } = await aWay('POST')

  const [delivery] = await deliver({})

  expect(delivery).toMatchObject({ state: 'failed', attempts: [{ status: 302 }] })
})

it('a receiver whose network is allowed no longer sees nothing of what still waits', async () => {
  sink = await startHookSink()
  const { deliver } = await aWay('POST', '')

  const [delivery] = await deliver({})

  expect(delivery).toMatchObject({ state: 'failed', attempts: [{ reason: 'blocked address' }] })
  expect(sink.connections()).toBe(0)
})
