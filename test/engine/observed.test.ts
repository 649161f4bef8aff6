/** A real engine that is only observed. Skipped without `FREESWITCH_BIN`. */
import { randomUUID } from 'node:crypto'
import { setInterval } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openDeliveryCounter } from '../support/engine/delivery-counter.ts'
import {
  anEnginePlace,
  freeswitchBin,
  kitConfiguration,
  startKitEngine,
  withLoopback,
} from '../support/engine/kit-engine.ts'
import { observersCommands, startRecordingProxy } from '../support/engine/recording-proxy.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const tenant = 'acme.example.com'
const within = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('an engine that is only observed', () => {
  const harness = opened(async () => {
    const place = await anEnginePlace()
    const settings = { PLATFORM_URL: 'http://127.0.0.1:9', ENGINE_CREDENTIAL: 'unused' }
    const engine = await startKitEngine(place, settings, withLoopback(kitConfiguration, place.folder))
    const proxy = await startRecordingProxy(place.socketPort)
    const platform = await aPlatform({
      ENGINE_URL: `esl://:ClueCon@127.0.0.1:${proxy.port}`,
      ENGINE_MODE: 'observe',
      ENGINE_TENANTS: `pbx.local=${tenant}`,
    })
    const close = async () => {
      await platform.close()
      await proxy.close()
      await engine.stop()
      place.remove()
    }
    return { engine, proxy, platform, close }
  })

  it("an observed engine gets only commands that read, and its calls appear in hooks, lists and CDRs of its context's tenant", async () => {
    const { engine, proxy, platform } = harness()
    const admin = await platform.tenant(tenant)
    const receiver = await openDeliveryCounter()
    const action = { type: 'web' as const, method: 'POST', url: receiver.url }
    await admin.call('createHooks', { body: { event: 'CHANNEL_HANGUP_COMPLETE', action } })
    // A hook is in force 2 s after it was made: calls are placed until the end of one is delivered.
    for await (const _tick of setInterval(500)) {
      await engine.api('originate loopback/9196/pbx.local &sleep(20)')
      if (receiver.received.size > 0) break
    }
    const rows = async () => (await admin.call('listChannels')).data.rows

    await expect.poll(rows, within).toEqual([])
    const uuid = randomUUID()
    await engine.api(`originate {origination_uuid=${uuid}}loopback/9196/pbx.local &park`)
    await expect.poll(rows, within).toHaveLength(2)
    const params = { channel_id: uuid }
    const observed = '409: conflict, the engine is only observed'
    await expect(admin.call('hangUpChannel', { params })).rejects.toThrow(observed)
    const call = { callerId: '1001', calledId: '1002' }
    await expect(admin.call('originateCall', { body: call })).rejects.toThrow(observed)
    expect(await rows()).toHaveLength(2)
    proxy.cut()
    await expect.poll(() => rows().catch(() => []), within).toHaveLength(2)
    await engine.api('hupall')

    const cdrs = async () => {
      const { hits } = await admin.call('searchCdrs', { query: { leg: '*' }, body: { query: `uuid:${uuid}` } })
      return hits.hits.map(({ _source }) => _source?.['domain_name'])
    }
    await expect.poll(cdrs, within).toEqual([tenant])
    await expect.poll(() => [...receiver.received.values()], within).toContain(`CHANNEL_HANGUP_COMPLETE ${uuid}`)
    const sent = [...new Set(proxy.commands())]
    expect(sent).toContain('api show channels as json')
    expect(sent.filter((command) => !observersCommands.some((form) => form.test(command)))).toEqual([])
    await receiver.close()
  })
})
