/** Calls that the API holds, with sound on both sides, at a real engine. Skipped without `FREESWITCH_BIN`. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { createTaken, trunkTo } from '../support/engine/gateway-taken.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import type { SoundCall } from '../support/engine/sound-call.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { aWhile } from '../support/engine/sound-stream.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const within = { timeout: 15_000 }
/** The address of a carrier. */
const provider = '127.0.0.11'
/** The tones that our phones and the carrier sing. */
const [ourTone, theirTone, otherTone] = [500, 900, 1_300]
const badExtension = 420

describe.skipIf(freeswitchBin === undefined)('a call that the API holds', () => {
  const pipeline = opened(() => aGatewayHarness())
  let admin: Client
  let [ours, other, far]: SoundPhone[] = []

  beforeAll(async () => {
    admin = await pipeline().platform.tenant(acme)
    ours = await pipeline().soundPhone('1000', acme)
    other = await pipeline().soundPhone('1001', acme)
    far = await pipeline().soundPhone('carrier', '127.0.0.1', { port: pipeline().gatewayPort, ip: provider })
    expect([await ours.register(), await other.register()]).toEqual([200, 200])
    const trunk = trunkTo({ address: far.address, ip: provider }, 'trunk')
    await createTaken({ engine: pipeline().engine, client: admin, domain: acme }, trunk)
    const out = { bridge: { endpoints: [{ type: 'gateway', name: 'trunk', dialString: '1' }] } }
    for (const [destination_number, callflow] of [
      ['90', [out]],
      ['70', [{ answer: '' }, { queue: { name: 'support' } }]],
      ['71', [{ answer: '' }, { queue: { name: 'support', action: 'out' } }]],
      ['72', [{ answer: '' }, { park: { slot: '701' } }]],
      ['73', [{ answer: '' }, { park: '' }]],
    ] as const)
      await admin.call('createDefaultRoute', { body: { destination_number, callflow: [...callflow] } })
    await admin.call('createPublicRoute', { body: { destination_number: '44', callflow: [{ goto: '1000' }] } })
  })

  // A test that fails leaves no call to the next one.
  afterEach(() => pipeline().engine.api('hupall'))

  const one = (phone: SoundPhone | undefined): SoundPhone => {
    if (phone === undefined) throw new Error('the phones are opened first')
    return phone
  }
  const channels = async () => (await admin.call('listChannels')).data.rows
  /** Holds a channel, or takes it back. */
  const order = (channel_id: string, state: 'hold' | 'unhold') =>
    admin.call('holdChannel', { params: { channel_id }, body: { state } })
  const end = async (...calls: readonly SoundCall[]) => {
    await calls[0]?.hangUp()
    await Promise.all(calls.slice(1).map(({ ended }) => ended))
    // The platform hears of an end a little later than the phones.
    await expect.poll(channels, within).toEqual([])
  }

  it.each([
    { kind: 'to', place: async () => ({ mine: await one(ours).dial('90'), theirs: await one(far).ringing() }) },
    {
      kind: 'from',
      place: async () => {
        const theirs = await one(far).dial('44')
        return { theirs, mine: await one(ours).ringing(theirs) }
      },
    },
  ])('in a call $kind a carrier, whoever is not held hears music, whichever leg is held', async ({ kind, place }) => {
    const { mine, theirs } = await place()
    const [rung, placed] = kind === 'to' ? [theirs, mine] : [mine, theirs]
    rung.answer()
    expect(await placed.answered).toBe(200)
    const talk = () => {
      mine.sing(ourTone)
      theirs.sing(theirTone)
      return Promise.all([mine.hear(aWhile, theirTone), theirs.hear(aWhile, ourTone)])
    }
    await talk()
    await expect.poll(channels, within).toHaveLength(2)
    const rows = await channels()
    const leg = (isMine: boolean) => rows.find(({ presence_id: id }) => (id === `1000@${acme}`) === isMine)?.uuid ?? ''

    for (const [held, side, hearing] of [
      [leg(false), theirs, mine],
      [leg(true), mine, theirs],
      [leg(false), theirs, mine],
    ] as const) {
      // The held side is silent, so what the other one hears is the music.
      side.sing()
      await order(held, 'hold')
      await hearing.hear(2 * aWhile)
      await order(held, 'unhold')
      await talk()
    }
    await end(mine, theirs)
  })

  it.each([
    { kind: 'waits in a queue', number: '70', fetch: '71' },
    { kind: 'is parked in a slot', number: '72', fetch: '72' },
    { kind: 'is parked without a slot', number: '73', fetch: '' },
  ])('a caller who $kind hears silence during a hold, and the music after it', async ({ number, fetch }) => {
    const call = await one(ours).call(number)
    await call.hear(aWhile)
    await expect.poll(channels, within).toHaveLength(1)
    const [held] = await channels()

    await order(held?.uuid ?? '', 'hold')
    // What was under way arrives first.
    await call.listen(aWhile)
    expect((await call.listen(8 * aWhile)).sound).toBe(0)
    await order(held?.uuid ?? '', 'unhold')
    await call.hear(4 * aWhile)

    if (fetch === '') return end(call)
    const fetching = await one(other).call(fetch)
    call.sing(ourTone)
    fetching.sing(otherTone)
    await Promise.all([call.hear(aWhile, otherTone), fetching.hear(aWhile, ourTone)])
    await fetching.hangUp()
    await end(call)
  })

  it('a phone that offers session timers can call, and one that requires them is told that they are not offered', async () => {
    const timers = [
      ['Supported', 'timer'],
      ['Session-Expires', '1800'],
    ] as const
    const offering = await pipeline().soundPhone('1002', acme, { headers: timers })
    const requiring = await pipeline().soundPhone('1002', acme, { headers: [...timers, ['Require', 'timer']] })

    const call = await offering.call('9196')
    call.sing(ourTone)
    await call.hear(aWhile, ourTone)
    await end(call)

    expect(await (await requiring.dial('9196')).answered).toBe(badExtension)
  })
})
