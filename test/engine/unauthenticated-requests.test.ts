/** Requests of strangers, outside of any call, at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import { SipDialog } from '../support/engine/sip-dialog.ts'
import { type SipLine, openSipLine } from '../support/engine/sip-line.ts'
import { credentialOf, token } from '../support/engine/sip-message.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'

describe.skipIf(freeswitchBin === undefined)('a request of a stranger outside of any call', () => {
  const harness = opened(() => aGatewayHarness())
  const arrived: string[] = []
  let stranger: SipLine
  let elsewhere: SipLine

  beforeAll(async () => {
    await harness().platform.tenant(acme)
    stranger = await openSipLine('127.0.0.70', 'x', ({ method = '' }) => void arrived.push(method))
    elsewhere = await openSipLine('127.0.0.9', 'x', ({ method = '' }) => void arrived.push(method))
  })
  afterAll(() => Promise.all([stranger.close(), elsewhere.close()]))

  /** Sends a request whose Contact is elsewhere; a challenge is answered with a password that is wrong. */
  const ask = async (port: number, method: string, headers: readonly (readonly [string, string])[]) => {
    const account = `<sip:1001@${acme}>`
    const start = {
      callId: token(),
      local: `<sip:1002@${acme}>;tag=${token()}`,
      remote: account,
      target: `sip:1001@${acme}`,
      peer: `127.0.0.1:${port}`,
    }
    const line = { ...stranger, contact: elsewhere.contact }
    return (await new SipDialog(line, start, credentialOf('1002', acme, 'wrong')).request(method, headers)).status
  }

  it.each<['phones' | 'gateways', string, string]>([
    ...['REFER', 'MESSAGE', 'INFO', 'OPTIONS', 'PUBLISH', 'REGISTER', 'INVITE'].flatMap(
      (method): ['phones' | 'gateways', string, string][] => [
        ['phones', method, 'x'],
        ['gateways', method, 'x'],
      ],
    ),
    ...['refer', 'dialog', 'presence', 'message-summary', 'conference', 'check-sync'].flatMap(
      (event): ['phones' | 'gateways', string, string][] => [
        ['phones', 'SUBSCRIBE', event],
        ['phones', 'NOTIFY', event],
      ],
    ),
  ])('makes the engine send nothing elsewhere: at the port of %s, %s of %s', async (side, method, event) => {
    const port = side === 'phones' ? harness().place.sipPort : harness().gatewayPort
    const headers = [
      ['Event', event],
      ['Refer-To', `<sip:1002@${elsewhere.address}>`],
      ['Expires', '300'],
    ] as const

    for (let at = 0; at < 3; at++) await ask(port, method, headers)

    // What the engine sends because of a request, it sends before it has worked through what came after it.
    for (let at = 0; at < 3; at++) expect(await ask(port, 'OPTIONS', [])).toBe(200)
    expect(arrived).toEqual([])
  })

  it('is not kept: nothing is subscribed to, so that a flood of REFER leaves nothing behind', async () => {
    const answers = []
    for (let at = 0; at < 200; at++)
      answers.push(await ask(harness().place.sipPort, 'REFER', [['Refer-To', `<sip:1002@${acme}>`]]))

    expect(new Set(answers)).toEqual(new Set([202]))
    await expect
      .poll(async () => (await harness().engine.api('show channels')).trim(), { timeout: 5_000 })
      .toBe('0 total.')
    expect(arrived).toEqual([])
  })
})
