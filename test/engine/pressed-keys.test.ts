/**
 * Menus, conferences, queues and parking at a real engine of the kit, by what phones press and hear. Skipped without
 * `FREESWITCH_BIN`.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { writeSounds } from '../support/engine/domain-sounds.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import type { SoundCall } from '../support/engine/sound-call.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { opened } from '../support/processes/opened.ts'
import { aWhile } from '../support/engine/sound-stream.ts'

const acme = 'acme.example.com'
/** What the phones sing, and what the kit plays: engine/conf/conference-tones.xml, and the music of this engine. */
const tone = { first: 500, second: 900, asksForPin: 600, wrongPin: 300, wrongChoice: 300, sound: 440, music: 700 }

type Press = (call: SoundCall, keys: string) => Promise<unknown>
const manners: readonly (readonly [manner: string, press: Press])[] = [
  ['as packets of RFC 2833', (call, keys) => call.press(keys)],
  ['as SIP INFO', (call, keys) => call.pressByInfo(keys)],
]

describe.skipIf(freeswitchBin === undefined)('keys that are pressed', () => {
  const pipeline = opened(() =>
    aKitHarness({ settings: { HOLD_MUSIC: `tone_stream://%(1000,0,${tone.music});loops=-1` } }),
  )
  let admin: Client
  let [first, second]: SoundPhone[] = []

  const routes = {
    50: [
      { answer: '' },
      {
        menu: {
          sound: 'menu.wav',
          timeout: 1,
          tries: 2,
          digits: { 1: [{ echo: '' }], '23': [{ goto: '53' }], '*': [{ goto: '51' }] },
        },
      },
      { hangup: 'USER_BUSY' },
    ],
    51: [{ answer: '' }, { conference: { name: 'sales', pin: '4711' } }],
    52: [{ answer: '' }, { conference: 'open' }],
    53: [{ answer: '' }, { queue: { name: 'support' } }],
    54: [{ answer: '' }, { queue: { name: 'support', action: 'out' } }],
    55: [{ answer: '' }, { park: '' }],
    56: [{ answer: '' }, { park: '701' }],
    57: [
      { answer: '' },
      { menu: { sound: 'missing.wav', digits: { 1: [{ hangup: 'CALL_REJECTED' }] } } },
      { echo: '' },
    ],
  }

  beforeAll(async () => {
    admin = await pipeline().platform.tenant(acme)
    writeSounds(pipeline().place.sounds, acme)
    for (const [destination_number, callflow] of Object.entries(routes)) {
      await admin.call('createDefaultRoute', { body: { destination_number, callflow } })
    }
    ;[first, second] = await Promise.all(['1000', '1001'].map((login) => pipeline().soundPhone(login, acme)))
    for (const phone of [first, second]) expect(await phone?.register()).toBe(200)
  })

  const calls = async (phone: SoundPhone | undefined, number: string, hz: number): Promise<SoundCall> => {
    const call = await phone?.call(number)
    if (call === undefined) throw new Error('the phones are opened first')
    call.sing(hz)
    return call
  }

  /** Waits for a second without sound: what was on its way when a key was pressed may still arrive. */
  const expectSilence = (call: SoundCall) =>
    expect.poll(async () => (await call.listen(2 * aWhile)).sound, { timeout: 20_000 }).toBe(0)

  describe.each(manners)('%s', (_manner, press) => {
    it('a key interrupts a menu and takes its choice', async () => {
      const call = await calls(first, '50', tone.first)
      await call.hear(5, tone.sound)

      await press(call, '1')

      await call.hear(aWhile, tone.first)
      await call.hangUp()
    })

    it('a choice of several keys, after a wrong one that a low tone refuses, goes to its number', async () => {
      const call = await calls(first, '50', tone.first)
      await call.hear(5, tone.sound)

      await press(call, '9#')
      await call.hear(5, tone.wrongChoice)
      await call.hear(5, tone.sound)
      await press(call, '23')

      await call.hear(aWhile, tone.music)
      await call.hangUp()
    })

    it('a conference asks for its PIN, refuses a wrong one, and takes the right one, also with # after it', async () => {
      const call = await calls(first, '51', tone.first)
      await call.hear(5, tone.asksForPin)

      await press(call, '1111')
      await call.hear(5, tone.wrongPin)
      await call.hear(5, tone.asksForPin)
      await press(call, '4711#')

      await call.hear(aWhile, tone.music)
      await call.hangUp()
    })

    it('members of a conference mute themselves, stop listening and hang up by keys', async () => {
      const [call, other] = [await calls(first, '52', tone.first), await calls(second, '52', tone.second)]
      await Promise.all([call.hear(aWhile, tone.second), other.hear(aWhile, tone.first)])

      await press(other, '0')
      await expectSilence(call)
      await press(other, '0')
      await call.hear(aWhile, tone.second)
      call.sing()
      await press(other, '*')
      await other.hear(3, 350)
      call.sing(tone.first)
      await expectSilence(other)
      await press(other, '##')

      await other.ended
      await call.hear(aWhile, tone.music)
      await call.hangUp()
    })
  })

  it('a caller who makes no choice hears the menu as often as it is played, and then the steps after it', async () => {
    const call = await calls(first, '50', tone.first)

    await call.hear(40, tone.sound)
    await call.hear(5, tone.wrongChoice)
    await call.hear(40, tone.sound)

    expect(await call.ended).toContain('cause=17')
  })

  it('a menu without its sound is passed over', async () => {
    const call = await calls(first, '57', tone.first)

    await call.hear(aWhile, tone.first)
    await call.hangUp()
  })

  it('a caller in a queue hears music until a phone takes the call, and then each the other', async () => {
    const call = await calls(first, '53', tone.first)
    await call.hear(aWhile, tone.music)

    const agent = await calls(second, '54', tone.second)

    await Promise.all([call.hear(aWhile, tone.second), agent.hear(aWhile, tone.first)])
    await call.hangUp()
    await agent.hear(aWhile, tone.music)
    await agent.hangUp()
  })

  it('a parked call, with or without a slot, hears music without a pause until it is fetched or ends', async () => {
    const [call, forever] = [await calls(first, '56', tone.first), await calls(second, '55', tone.second)]
    await Promise.all([call.hear(aWhile, tone.music), forever.hear(aWhile, tone.music)])
    expect((await forever.listen(2 * aWhile)).packets).toBeGreaterThan(aWhile)
    await forever.hangUp()

    const fetching = await calls(second, '56', tone.second)

    await Promise.all([call.hear(aWhile, tone.second), fetching.hear(aWhile, tone.first)])
    await call.hangUp()
    await fetching.ended
  })

  it('the engine logs no error for any of these calls', () => {
    expect(pipeline().errors()).toEqual([])
  })
})
