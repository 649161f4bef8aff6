/**
 * What a phone dials to reach the calls of another tenant, at a real engine of the kit. Skipped without
 * `FREESWITCH_BIN`.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, other] = ['acme.example.com', 'other.example.com']
const aWhile = 25

/** Routes that both tenants have, with the same names. */
const routes = [
  { destination_number: '701', name: 'slot', callflow: [{ answer: '' }, { park: { slot: '701' } }] },
  { destination_number: '702', name: 'room', callflow: [{ answer: '' }, { conference: { name: 'sales' } }] },
  { destination_number: '703', name: 'queue', callflow: [{ answer: '' }, { queue: { name: 'support' } }] },
  {
    destination_number: '704',
    name: 'next of the queue',
    callflow: [{ answer: '' }, { queue: { name: 'support', action: 'out' } }],
  },
]

describe.skipIf(freeswitchBin === undefined)('a phone of another tenant', () => {
  const harness = opened(() => aGatewayHarness())
  let caller: SoundPhone
  let called: SoundPhone
  let attacker: SoundPhone

  beforeAll(async () => {
    for (const domain of [acme, other]) {
      const admin = await harness().platform.tenant(domain)
      for (const body of routes) await admin.call('createDefaultRoute', { body })
    }
    caller = await harness().soundPhone('1001', acme)
    called = await harness().soundPhone('1002', acme, { isAnswering: true })
    attacker = await harness().soundPhone('1001', other)
    for (const phone of [called, attacker]) expect(await phone.register()).toBe(200)
  })

  afterEach(() => harness().engine.api('hupall'))

  it('reaches no call by a code that other exchanges have for pick-up, listening and parking, nor by the name of a call', async () => {
    const [call, rung] = await Promise.all([caller.call('1002'), called.ringing()])
    const uuid = /^([0-9a-f-]{36}),inbound,/m.exec(await harness().engine.api('show channels'))?.[1] ?? ''
    const codes = [
      '*8',
      '**1002',
      '*331002',
      '*881001',
      '7791002',
      '8861002',
      '0779',
      '*5900701',
      '5900701',
      'park+701',
    ]
    const names = [uuid, `eavesdrop:${uuid}`, `intercept:${uuid}`, `1002%40${acme}`, `${acme}_sales`, `1002=${acme}`]
    const addresses = [`1002@${acme}`, '1002%00', '*11002%0a', '%31002', `user/1002%40${acme}`]

    const answers = []
    for (const number of [...codes, ...names, ...addresses]) {
      const attempt = await attacker.dial(number)
      answers.push([number, await attempt.answered])
      await attempt.hangUp()
    }

    expect(answers.filter(([, status]) => status === 200)).toEqual([])
    expect(harness().place.log()).not.toMatch(/EXECUTE.* (?:eavesdrop|intercept|three_way|system)\(/)
    call.sing(440)
    rung.sing(660)
    await Promise.all([call.hear(aWhile, 660), rung.hear(aWhile, 440)])
  })

  it.each([
    ['takes no parked call out of a slot of the same number', '701', '701'],
    ['is in another room of the same name', '702', '702'],
    ['takes no caller out of a queue of the same name', '703', '704'],
  ])('%s, as a colleague does', async (_what, waits, asks) => {
    const together = async () =>
      `${await harness().engine.api('show bridged_calls')}${await harness().engine.api('conference list')}`
    const isTogether = expect.stringMatching(/^[1-9] total|\(2 members/m)
    await caller.call(waits)
    const attempt = await attacker.call(asks)

    await attempt.listen(50)
    expect(await together()).not.toEqual(isTogether)

    await called.call(asks)
    await expect.poll(together, { timeout: 5_000 }).toEqual(isTogether)
  })

  it.each(['9196', '*11001', '1001', '701', '702'])(
    'reaches nothing through the port of gateways, by whatever domain it names: %s',
    async (number) => {
      const outside = await harness().soundPhone('1001', acme, { port: harness().gatewayPort })

      expect(await (await outside.dial(number)).answered).not.toBe(200)
    },
  )
})
