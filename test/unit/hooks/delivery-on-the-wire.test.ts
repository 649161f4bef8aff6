import { Webhook } from 'standardwebhooks'
import { afterEach, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { guardedHookClient } from '../../../adapters/http/guarded-hook-client.ts'
import { memoryPorts } from '../../../adapters/memory/memory-ports.ts'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { systemClock } from '../../../adapters/system/system-clock.ts'
import { createHooks } from '../../../core/hooks/create-hooks.ts'
import type { HookInput } from '../../../core/hooks/hook-input.ts'
import type { PlatformEvent } from '../../../core/model.ts'
import { readSettings } from '../../../functions/endpoint/settings.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { aContext } from '../../support/api.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { aHookInput } from '../../support/hook-input.ts'
import { answering, type HookSink, startHookSink } from '../../support/hook-sink.ts'
import { aBatch } from '../../support/queue-batch.ts'
import { anEvent } from '../../support/records.ts'

const sinks: HookSink[] = []

afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close()
})

async function aSink(...script: Parameters<typeof startHookSink>): Promise<HookSink> {
  const sink = await startHookSink(...script)
  sinks.push(sink)
  return sink
}

/** Both workers over memory stores, with the real hook client: the whole way of an event to its receivers. */
function aWay(allowedNetworks = '127.0.0.0/8') {
  const context = { clock: systemClock, random: systemRandomness, env: { HOOK_ALLOWED_NETWORKS: allowedNetworks } }
  const ports = { ...memoryPorts(context), hookClient: guardedHookClient(context) }
  const log = capturedLog()
  const tools = { ...context, log, settings: readSettings(context.env) }
  const judges = { guard: addressGuard('127.0.0.0/8'), compile: linearPattern }
  return {
    ports,
    log,
    /** Makes a hook on a URL; answers its secret. */
    hook: async (url: string, given: Partial<HookInput> = {}, method = 'POST'): Promise<string> => {
      const input = aHookInput({ action: { type: 'web', method, url }, ...given })
      const { secrets } = await createHooks({ ...ports, ...context, judges }, 'a.example.com', input)
      return Object.values(secrets)[0] ?? ''
    },
    /** Lets events come in and makes every attempt that is queued then. */
    deliver: async (...events: PlatformEvent[]) => {
      const failures = [await hookDispatch.over(ports, tools)(aBatch(events.map(message)), aContext)]
      const queued = ports.deliveryQueue.queued.splice(0)
      failures.push(await deliver.over(ports, tools)(aBatch(queued.map(message)), aContext))
      expect(failures).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }])
      return [...ports.state.deliveries.values()]
    },
  }
}

const message = (content: object): object => ({ version: 1, ...content })

const hostile = { 'Caller-Caller-ID-Name': 'Žofie "山田" \\ \n' }

it.each(['POST', 'PUT', 'PATCH', 'GET', 'DELETE'])(
  'a %s arrives with a signature that the standardwebhooks library accepts, over the very bytes that came',
  async (method) => {
    const sink = await aSink()
    const way = aWay()
    const secret = await way.hook(sink.url('/in'), {}, method)

    const [delivery] = await way.deliver(anEvent({ fields: hostile }))

    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200, replySnippet: 'ok' }] })
    const [request] = sink.requests
    const headers = { ...request?.headers }
    const webhook = new Webhook(secret)
    expect(() => webhook.verify(request?.body ?? '', headers)).not.toThrow()
    expect(() => webhook.verify(`${request?.body}x`, headers)).toThrow('No matching signature found')
    expect(headers['webhook-id']).toBe(delivery?.id)
  },
)

it('the body holds the values of the event, unchanged', async () => {
  const sink = await aSink()
  const way = aWay()
  await way.hook(sink.url())
  const event = anEvent({ fields: hostile })

  const [delivery] = await way.deliver(event)

  const body: unknown = JSON.parse(sink.requests[0]?.body ?? '')
  expect(body).toEqual({ id: delivery?.id, action: 'CHANNEL_CREATE', data: hostile })
})

it('a header that a value of the event would add does not arrive', async () => {
  const sink = await aSink()
  const way = aWay()
  await way.hook(sink.url(), { headers: { 'X-Name': '${name}' } })

  await way.deliver(anEvent({ fields: { name: 'a\r\nX-Evil: 1\r\n\r\nGET /second HTTP/1.1' } }))

  expect(sink.requests).toHaveLength(1)
  expect(sink.requests[0]?.headers).not.toHaveProperty('x-evil')
  expect(sink.requests[0]?.headers['x-name']).toBe('aX-Evil: 1GET /second HTTP/1.1')
})

it('each hook signs with its own secret', async () => {
  const sink = await aSink()
  const way = aWay()
  const secrets = [await way.hook(sink.url('/first')), await way.hook(sink.url('/second'))]

  await way.deliver(anEvent())

  for (const { target, body, headers } of sink.requests) {
    const [own, other] = target === '/first' ? secrets : secrets.toReversed()
    expect(() => new Webhook(own ?? '').verify(body, { ...headers })).not.toThrow()
    expect(() => new Webhook(other ?? '').verify(body, { ...headers })).toThrow('No matching signature found')
  }
  expect(sink.requests).toHaveLength(2)
})

it('an event that comes twice is delivered once', async () => {
  const sink = await aSink()
  const way = aWay()
  await way.hook(sink.url())
  const event = anEvent()

  await way.deliver(event)
  await way.deliver(event)

  expect(sink.requests).toHaveLength(1)
})

it('a slow receiver does not hold up the others of its batch', async () => {
  const fast = await aSink()
  const slow = await aSink((socket) => {
    // It answers only once the other delivery of the batch has arrived.
    void (fast.requests.length > 0 ? Promise.resolve() : fast.nextRequest()).then(() =>
      socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
    )
  })
  const way = aWay()
  await way.hook(slow.url())
  await way.hook(fast.url())

  const deliveries = await way.deliver(anEvent())

  expect(deliveries.map(({ state }) => state)).toEqual(['delivered', 'delivered'])
})

it('a redirect is a failed attempt with its status', async () => {
  const second = await aSink()
  const first = await aSink(answering(307, '', { location: second.url() }))
  const way = aWay()
  await way.hook(first.url())

  const [delivery] = await way.deliver(anEvent())

  expect(delivery).toMatchObject({ state: 'failed', attempts: [{ status: 307 }] })
  expect(second.connections()).toBe(0)
})

it('a receiver in a network that is allowed no more sees nothing of what still waits', async () => {
  const sink = await aSink()
  const way = aWay('')
  await way.hook(sink.url())

  const [delivery] = await way.deliver(anEvent())

  expect(delivery).toMatchObject({ state: 'pending', attempts: [{ reason: 'blocked address' }] })
  expect(sink.connections()).toBe(0)
})

it('an attempt is logged with its end, and without its target, content or secret', async () => {
  const sink = await aSink()
  const way = aWay()
  const secret = await way.hook(sink.url('/planted-path'), { headers: { Authorization: 'planted-header' } })

  await way.deliver(anEvent({ fields: { 'Caller-Caller-ID-Name': 'planted-value' } }))

  expect(way.log.lines).toMatchObject([{ level: 'info', keys: { domain: 'a.example.com', state: 'delivered' } }])
  const logged = JSON.stringify(way.log.lines)
  for (const planted of [secret.slice(6), 'planted-path', 'planted-header', 'planted-value']) {
    expect(logged).not.toContain(planted)
  }
})
