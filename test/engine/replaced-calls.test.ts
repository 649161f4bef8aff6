/**
 * INVITEs with `Replaces` at a real engine of the kit: strangers and phones that would take calls over. Skipped without
 * `FREESWITCH_BIN`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import { SipDialog } from '../support/engine/sip-dialog.ts'
import { type SipLine, answerSip, openSipLine } from '../support/engine/sip-line.ts'
import { credentialOf, token } from '../support/engine/sip-message.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, other] = ['acme.example.com', 'other.example.com']
const media = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', 'm=audio 9 RTP/AVP 0', '']
const aWhile = 25

describe.skipIf(freeswitchBin === undefined)('an INVITE with Replaces at an engine of the kit', () => {
  const harness = opened(() => aGatewayHarness())
  let line: SipLine
  let caller: SoundPhone
  let called: SoundPhone
  const over = new Set<string>()

  beforeAll(async () => {
    await harness().platform.tenant(acme)
    await harness().platform.tenant(other)
    caller = await harness().soundPhone('1001', acme)
    called = await harness().soundPhone('1002', acme, { isAnswering: true })
    await called.register()
    line = await openSipLine('127.0.0.70', 'x', (request, sender) => {
      if (request.method === 'BYE') over.add(request.headers.find(([name]) => name === 'call-id')?.[1] ?? '')
      if (request.method !== 'ACK') answerSip(line, request, sender, { status: '200 OK', tag: token() })
    })
  })
  afterAll(() => line.close())
  afterEach(() => api('hupall'))

  const api = (command: string) => harness().engine.api(command)
  const ports = () => ({ gateways: harness().gatewayPort, phones: harness().place.sipPort })
  type Side = keyof ReturnType<typeof ports>

  /**
   * Sends an INVITE to either port, as a phone of `other` at the port of phones. Resolves when it is refused or
   * has ended, at the port of phones also when it is answered.
   */
  const attack = async (
    side: Side,
    replaced: string,
    { callId = token(), number = '9196', body = media.join('\r\n'), parameters = ';a-leg=true' } = {},
  ) => {
    const peer = `127.0.0.1:${ports()[side]}`
    const start = {
      callId,
      local: `<sip:1001@${other}>;tag=${token()}`,
      remote: `<sip:${number}@${other}>`,
      target: `sip:${number}@${other}`,
      peer,
    }
    const dialog = new SipDialog(line, start, credentialOf('1001', other, tenantPassword('1001')))
    const headers = [
      ['Replaces', `${replaced};from-tag=aaa;to-tag=bbb${parameters}`] as const,
      ...(body === '' ? [] : [['Content-Type', 'application/sdp'] as const]),
    ]
    const { status = 0 } = await dialog.request('INVITE', headers, body)
    // A phone's may also be an ordinary call, which its plan answers.
    if (status === 200 && side === 'gateways') await expect.poll(() => over.has(callId), { timeout: 5_000 }).toBe(true)
    return status
  }
  const idle = () => expect.poll(async () => (await api('show channels')).trim(), { timeout: 5_000 }).toBe('0 total.')

  describe.each<Side>(['gateways', 'phones'])('at the port of %s', (side) => {
    it.each([
      ['a shell command', (file: string) => `\${system(touch$IFS${file})}`],
      ['a call', () => '${originate(sofia/external/1@127.0.0.70:9/&park())}'],
      ['a global variable', () => '${global_setvar(taken=yes)}'],
      ['a file of the engine', (file: string) => `\${file_write(${file}/text)}`],
    ])('executes nothing of a Call-ID that holds %s', async (_what, textOf) => {
      const file = join(harness().place.folder, `ran-${token()}`)
      const callId = `c/${textOf(file)}`

      await attack(side, callId, { callId })
      await attack(side, callId)

      await api('hupall')
      await idle()
      expect(existsSync(file)).toBe(false)
      expect((await api('global_getvar taken')).trim()).not.toBe('yes')
      expect(harness().place.log()).not.toMatch(/EXECUTE.* intercept\(/)
    })

    it('executes nothing of the number that it calls while the replaced call waits for its route', async () => {
      const pair = (callId: string) => [
        attack(side, token(), { callId }),
        attack(side, callId, { number: 'set_global%3Ataken=number', parameters: '' }),
      ]

      await Promise.all(Array.from({ length: 5 }, () => pair(token())).flat())

      await api('hupall')
      await idle()
      expect((await api('global_getvar taken')).trim()).not.toBe('number')
    })

    it.each([
      ['Call-ID', ';a-leg=true'],
      ['Call-ID', ''],
      ['uuid', ';a-leg=true'],
      ['uuid', ''],
    ])('takes no call of a tenant over by its %s%s', async (by, parameters) => {
      const [call, rung] = await Promise.all([caller.call('1002'), called.ringing()])
      const uuid = /^([0-9a-f-]{36}),inbound,/m.exec(await api('show channels'))?.[1] ?? ''

      await attack(side, by === 'uuid' ? uuid : call.callId, { parameters })

      expect(harness().place.log()).not.toMatch(/EXECUTE.* intercept\(/)
      call.sing(440)
      rung.sing(660)
      await Promise.all([call.hear(aWhile, 660), rung.hear(aWhile, 440)])
      await api('hupall')
      await idle()
    })

    it('runs nothing of a call that is not bridged', async () => {
      const call = await caller.call('9196')
      const echoes = () =>
        harness()
          .place.log()
          .match(/EXECUTE.* echo\(/g)?.length
      const before = echoes()

      await attack(side, call.callId, { parameters: '' })

      await api('hupall')
      await idle()
      expect(echoes()).toBe(before)
    })
  })

  it('sends no caller to the number that a phone names in a redirection', async () => {
    const phone: SipLine = await openSipLine('127.0.0.71', '9196', (request, sender) => {
      const status = request.method === 'INVITE' ? '302 Moved Temporarily' : '200 OK'
      if (request.method !== 'ACK') answerSip(phone, request, sender, { status, tag: token() })
    })
    const account = `<sip:1001@${other}>`
    const start = {
      callId: token(),
      local: `${account};tag=${token()}`,
      remote: account,
      target: `sip:${other}`,
      peer: `127.0.0.1:${ports().phones}`,
    }
    const dialog = new SipDialog(phone, start, credentialOf('1001', other, tenantPassword('1001')))
    expect((await dialog.request('REGISTER', [['Expires', '3600']])).status).toBe(200)

    const call = await (await harness().soundPhone('1002', other)).dial('1001')

    expect(await call.answered).not.toBe(200)
    expect(harness().place.log()).toMatch(/Processing .*->9196 in context redirected/)
    await phone.close()
  })
})
