/** Callers who guess the PIN of a mailbox at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { beforeAll, describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const tone = { greets: 784, asks: 540, refuses: 220, none: 294 }

describe.skipIf(freeswitchBin === undefined)('a caller who guesses the PIN of a mailbox', () => {
  const pipeline = opened(() => aKitHarness({ sharesRecordings: false }))
  let guesser: SoundPhone

  beforeAll(async () => {
    const admin = await pipeline().platform.tenant(acme)
    for (const [prefix, check] of [
      ['\\*97', true],
      ['\\*98', false],
    ] as const) {
      const callflow = [{ answer: '' }, { voicemail: { user: '$1', check } }]
      const route = { destination_number: `${prefix}(\\d+)`, name: `mailboxes ${check}`, callflow }
      await admin.call('createDefaultRoute', { body: route })
    }
    for (const login of ['1001', '1002']) {
      const body = { parameters: ['vm-enabled=true', 'vm-password=4711'] }
      await admin.call('updateAccount', { params: { account_id: login }, body })
    }
    guesser = await pipeline().soundPhone('1001', acme)
    expect(await guesser.register()).toBe(200)
  })

  /**
   * Guesses three times in one call, which then ends: by the keys of the owner, or with 0 in the greeting, as anybody
   * may who reaches it.
   */
  const guessThrice = async (number: string) => {
    const call = await guesser.call(number)
    if (number.startsWith('*98')) {
      await call.hear(5, tone.greets)
      await call.press('0')
    }
    for (let at = 0; at < 3; at++) {
      await call.hear(5, tone.asks)
      await call.press('1234#')
      await call.hear(5, tone.refuses)
    }
    await call.ended
  }
  const open = async (number: string) => {
    const call = await guesser.call(number)
    await call.hear(5, tone.asks)
    await call.press('4711#')
    await call.hear(5, tone.none)
    await call.hangUp()
  }

  it('the owner still opens the mailbox after a few wrong PINs', async () => {
    await guessThrice('*981002')

    await open('*971002')
  })

  it('is asked for no PIN of this mailbox any more after ten wrong ones within an hour, by whatever way, and the call ends', async () => {
    for (const number of ['*981002', '*971002']) await guessThrice(number)
    const tenth = await guesser.call('*971002')
    await tenth.hear(5, tone.asks)
    await tenth.press('1234#')
    await tenth.hear(5, tone.refuses)
    const reason = await tenth.ended

    const call = await guesser.call('*971002')
    await call.hear(5, tone.refuses)

    expect([reason, await call.ended]).toEqual([
      expect.stringContaining('CALL_REJECTED'),
      expect.stringContaining('CALL_REJECTED'),
    ])
  })

  it('locks no other mailbox', () => open('*971001'))
})
