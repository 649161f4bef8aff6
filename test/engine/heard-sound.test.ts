/**
 * The table "What callers hear" of docs/routes.md, by phones at a real engine of the kit. Skipped without
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
import { documentedSounds, documentedSteps } from '../support/records/documented-steps.ts'
import { aWhile } from '../support/engine/sound-stream.ts'

const acme = 'acme.example.com'
const within = { timeout: 15_000 }
/** The tones that the phones of 1000, 1001 and 1002 sing. */
const tones = [500, 900, 1_300] as const
/** The steps that are not proven in a test of their own. */
const steps = documentedSteps.filter(({ kind }) => kind !== 'voicemail')
/** What is dialled before 200 for the example of a step. That of `if` asks for the 9 of the page. */
const prefixOf = (kind: string) => (kind === 'if' ? '9' : String(800 + steps.findIndex((step) => step.kind === kind)))

describe.skipIf(freeswitchBin === undefined)('what callers hear', () => {
  const harness = opened(() => aKitHarness())
  let admin: Client
  let [caller, other, third]: SoundPhone[] = []

  beforeAll(async () => {
    admin = await harness().platform.tenant(acme)
    writeSounds(harness().place.sounds, acme)
    ;[caller, other, third] = await Promise.all(
      ['1000', '1001', '1002'].map((login) => harness().soundPhone(login, acme)),
    )
    for (const phone of [caller, other, third]) expect(await phone?.register()).toBe(200)
    const sales = { destination_number: '100', callflow: [{ hangup: 'NORMAL_CLEARING' }] }
    await admin.call('createDefaultRoute', { body: sales })
    const put = { bridge: { endpoints: [{ type: 'user', name: '1001' }] } }
    await admin.call('createDefaultRoute', { body: { destination_number: '101', callflow: [{ answer: '' }, put] } })
    // A number for each: what replaces a route of the same number may be in force a second later.
    for (const { kind, callflow } of steps) {
      const body = { destination_number: `${prefixOf(kind)}(200)`, callflow: [...callflow] }
      await admin.call('createDefaultRoute', { body })
    }
  })

  const one = (phone: SoundPhone | undefined): SoundPhone => {
    if (phone === undefined) throw new Error('the phones are opened first')
    return phone
  }
  const answeredBy = async (phone: SoundPhone | undefined, tone: number): Promise<SoundCall> => {
    const call = await one(phone).ringing()
    call.answer()
    call.sing(tone)
    return call
  }
  /** 1000 calls 1001. Both sing, and hear each other: a hold that comes before that plays no music. */
  const connected = async (): Promise<readonly [SoundCall, SoundCall]> => {
    const call = await one(caller).dial('1001')
    const called = await answeredBy(other, tones[1])
    expect(await call.answered).toBe(200)
    call.sing(tones[0])
    await Promise.all([call.hear(5, tones[1]), called.hear(5, tones[0])])
    return [call, called]
  }
  const channels = async () => (await admin.call('listChannels')).data.rows
  const isSilent = (of: string) => documentedSounds.find((row) => row.of === of)?.isSilent
  /** Compares what a call brings now with what the page says. */
  const expectAsDocumented = async (of: string, call: SoundCall, hz?: number) => {
    if (isSilent(of) === false) return call.hear(aWhile, hz)
    expect({ of, isSilent: isSilent(of), sound: (await call.listen(aWhile)).sound }).toEqual({
      of,
      isSilent: true,
      sound: 0,
    })
  }

  it('docs/routes.md says what callers hear in every tested step and state', () => {
    const known = [...documentedSteps.map(({ kind }) => kind), ...Object.keys(states)]
    expect(documentedSounds.map(({ of }) => of).toSorted()).toEqual(known.toSorted())
  })

  /** What else happens in the example of a step, until what the page says is heard. */
  const meanwhile: Readonly<Record<string, (call: SoundCall) => Promise<void>>> = {
    echo: async (call) => call.sing(tones[0]),
    bridge: async () => void (await answeredBy(other, tones[1])),
    // The called phone does not answer.
    ringback: async () => void (await one(other).ringing()),
    conference: async (call) => {
      await call.hear(5, 600)
      await call.press('4711#')
    },
  }

  it.each(steps)(
    'in the example of the step $kind the caller hears what docs/routes.md says',
    async ({ kind, shown }) => {
      const call = await one(caller).dial(`${prefixOf(kind)}200`)
      await meanwhile[kind]?.(call)

      if (isSilent(kind) === true) {
        // The example ends by itself.
        const status = await call.answered
        expect(status === 200).toBe(shown.includes('answer'))
        if (status === 200) await call.ended
        expect(call.heard.sound).toBe(0)
      } else await call.hear(aWhile, kind === 'bridge' ? tones[1] : kind === 'echo' ? tones[0] : undefined)
      await call.hangUp()
    },
  )

  const hangUp = async (...calls: readonly SoundCall[]) => {
    await calls[0]?.hangUp()
    await Promise.all(calls.slice(1).map(({ ended }) => ended))
  }

  const states: Readonly<Record<string, (of: string) => Promise<void>>> = {
    'the other side rings, before an answer': async (of) => {
      const call = await one(caller).dial('1001')
      const called = await one(other).ringing()
      // A call without media has no clock: another one tells when the time is over.
      const clock = await one(third).call('9196')
      await clock.listen(2 * aWhile)
      expect({ isSilent: isSilent(of), ...call.heard }).toEqual({ isSilent: true, packets: 0, sound: 0 })
      await call.hangUp()
      await called.ended
      await clock.hangUp()
    },
    'the other side rings, after an answer': async (of) => {
      const call = await one(caller).call('101')
      const called = await one(other).ringing()
      await expectAsDocumented(of, call)
      await call.hangUp()
      await called.ended
    },
    'the caller holds the call': async (of) => {
      const [call, called] = await connected()
      expect(await call.hold()).toBe(200)
      await expectAsDocumented(of, call)
      expect(await call.unhold()).toBe(200)
      await Promise.all([call.hear(aWhile, tones[1]), called.hear(aWhile, tones[0])])
      await hangUp(call, called)
    },
    'the other side holds the call, at the phone': async (of) => {
      const [call, called] = await connected()
      expect(await called.hold()).toBe(200)
      await expectAsDocumented(of, call)
      expect(await called.unhold()).toBe(200)
      await Promise.all([call.hear(aWhile, tones[1]), called.hear(aWhile, tones[0])])
      await hangUp(call, called)
    },
    'the other side holds the call, by the API': async (of) => {
      // The platform hears of an end a little later than the phones.
      await expect.poll(channels, within).toEqual([])
      const [call, called] = await connected()
      await expect.poll(channels, within).toHaveLength(2)
      const rows = await channels()
      // The called leg twice, and then the caller's: whoever is not held hears the music.
      for (const [login, hearing] of [
        ['1001', call],
        ['1001', call],
        ['1000', called],
      ] as const) {
        const params = { channel_id: rows.find(({ presence_id: id }) => id === `${login}@${acme}`)?.uuid ?? '' }
        await admin.call('holdChannel', { params, body: { state: 'hold' } })
        await expectAsDocumented(of, hearing)
        await admin.call('holdChannel', { params, body: { state: 'unhold' } })
        await Promise.all([call.hear(aWhile, tones[1]), called.hear(aWhile, tones[0])])
      }
      await hangUp(call, called)
    },
    'the other side hands the caller over, and the new side rings': async (of) => {
      const [call, called] = await connected()
      expect(await called.transfer('1002')).toBe(202)
      const last = await one(third).ringing()
      await expectAsDocumented(of, call)
      await hangUp(call, called)
      await last.ended
    },
    'the other side asks somebody before it hands the caller over': async (of) => {
      const [call, called] = await connected()
      await called.hold()
      const asking = await one(other).dial('1002')
      const last = await answeredBy(third, tones[2])
      await asking.answered
      await expectAsDocumented(of, call)
      await hangUp(call, called)
      await hangUp(asking, last)
    },
    'the caller was handed over': async (of) => {
      const [call, called] = await connected()
      await called.transfer('1002')
      const blind = await answeredBy(third, tones[2])
      await Promise.all([expectAsDocumented(of, call, tones[2]), blind.hear(aWhile, tones[0]), called.ended])
      const asking = await one(third).dial('1001')
      const last = await answeredBy(other, tones[1])
      await asking.answered
      expect(await blind.transferTo(asking)).toBe(202)
      await Promise.all([expectAsDocumented(of, call, tones[1]), last.hear(aWhile, tones[0]), blind.ended])
      await hangUp(call, last)
    },
  }

  it.each(Object.entries(states))('the caller hears what docs/routes.md says when %s', (of, happens) => happens(of))
})
