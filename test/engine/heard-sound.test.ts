/** What phones hear of their calls at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { beforeAll, describe, expect, it } from 'vitest'
import { openEngineSocket } from '../support/engine/engine-socket.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitLab } from '../support/engine/kit-lab.ts'
import type { SoundCall } from '../support/engine/sound-call.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
/** Half a second of sound. */
const aWhile = 25

describe.skipIf(freeswitchBin === undefined)('what phones hear', () => {
  const lab = opened(() => aKitLab())
  const phones: SoundPhone[] = []

  beforeAll(async () => {
    await lab().platform.tenant(acme)
    for (const login of ['1000', '1001', '1002']) {
      const phone = await lab().soundPhone(login, acme)
      expect(await phone.register()).toBe(200)
      phones.push(phone)
    }
  })

  const phone = (index: number): SoundPhone => {
    const found = phones[index]
    if (found === undefined) throw new Error(`there is no phone ${index}`)
    return found
  }
  /** Phone 0 or another one calls the next one, which answers. Each sings a tone of its own. */
  const connected = async (from = 0, to = 1): Promise<readonly [SoundCall, SoundCall]> => {
    const call = await phone(from).dial(`100${to}`)
    const other = await phone(to).ringing()
    other.answer()
    expect(await call.answered).toBe(200)
    call.sing(tones[from])
    other.sing(tones[to])
    return [call, other]
  }
  const tones = [500, 900, 1_300]

  it('a phone hears its own tone from the echo', async () => {
    const call = await phone(0).call('9196')

    expect((await call.listen(aWhile)).sound).toBe(0)
    call.sing(440)

    await call.hear(aWhile, 440)
    await call.hangUp()
  })

  it('two phones hear each other, also after a hold', async () => {
    const [call, other] = await connected()

    await Promise.all([call.hear(aWhile, tones[1]), other.hear(aWhile, tones[0])])
    expect(await call.hold()).toBe(200)
    expect(await call.unhold()).toBe(200)
    await Promise.all([call.hear(aWhile, tones[1]), other.hear(aWhile, tones[0])])
    await call.hangUp()
    await other.ended
  })

  it('a phone hands its call over, and the two that are left hear each other', async () => {
    const [call, other] = await connected()

    expect(await call.transfer('1002')).toBe(202)
    const third = await phone(2).ringing()
    third.answer()
    third.sing(tones[2])

    await Promise.all([third.hear(aWhile, tones[1]), other.hear(aWhile, tones[2]), call.ended])
    await other.hangUp()
    await third.ended
  })

  it('a phone joins its two calls, and the two that are left hear each other', async () => {
    const [first, other] = await connected(0, 1)
    const [second, third] = await connected(0, 2)

    expect(await first.transferTo(second)).toBe(202)

    await Promise.all([third.hear(aWhile, tones[1]), other.hear(aWhile, tones[2]), first.ended, second.ended])
    await other.hangUp()
    await third.ended
  })

  it('pressed keys reach the engine as packets', async () => {
    const call = await phone(0).call('9196')
    const [uuid = ''] = (await lab().engine.api('show channels')).split('\n')[1]?.split(',') ?? []
    const socket = await openEngineSocket(lab().place.socketPort)
    const { event } = await socket.listenForEnd(uuid)

    await call.press('4711#')
    await call.hangUp()

    expect(/^variable_digits_dialed: (.*)$/m.exec(await event)?.[1]).toBe(encodeURIComponent('4711#'))
    await socket.close()
  })
})
