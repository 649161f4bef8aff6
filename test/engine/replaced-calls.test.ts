/** INVITEs with `Replaces` at a real engine of the kit: strangers and phones that would take calls over. Skipped without `FREESWITCH_BIN`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayLab } from '../support/engine/kit-lab.ts'
import { SipDialog } from '../support/engine/sip-dialog.ts'
import { type SipLine, answerSip, openSipLine } from '../support/engine/sip-line.ts'
import { credentialOf, token } from '../support/engine/sip-message.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, other] = ['acme.example.com', 'other.example.com']
const media = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', 'm=audio 9 RTP/AVP 0', '']
const aWhile = 25

describe.skipIf(freeswitchBin === undefined)('an INVITE with Replaces at an engine of the kit', () => {
  const lab = opened(() => aGatewayLab())
  let line: SipLine
  const over = new Set<string>()

  beforeAll(async () => {
    await lab().platform.tenant(acme)
    await lab().platform.tenant(other)
    line = await openSipLine('127.0.0.70', 'x', (request, sender) => {
      if (request.method === 'BYE') over.add(request.headers.find(([name]) => name === 'call-id')?.[1] ?? '')
      if (request.method !== 'ACK') answerSip(line, request, sender, { status: '200 OK', tag: token() })
    })
  })
  afterAll(() => line.close())
  afterEach(() => api('hupall'))

  const api = (command: string) => lab().engine.api(command)
  const ports = () => ({ gateways: lab().gatewayPort, phones: lab().place.sipPort })
  type Side = keyof ReturnType<typeof ports>

  /** Sends an INVITE to either port, as a phone of `other` at the port of phones. Resolves when it is refused or has ended. */
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
    if (status === 200) await expect.poll(() => over.has(callId), { timeout: 5_000 }).toBe(true)
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
      const file = join(lab().place.folder, `ran-${token()}`)
      const callId = `c/${textOf(file)}`

      await attack(side, callId, { callId })

      await idle()
      expect(existsSync(file)).toBe(false)
      expect((await api('global_getvar taken')).trim()).not.toBe('yes')
      expect(lab().place.log()).not.toMatch(/EXECUTE.* intercept\(/)
    })

    it('executes nothing of the number that it calls where the replaced call has executed nothing', async () => {
      const file = join(lab().place.folder, `ran-${token()}`)
      const callId = token()

      await attack(side, callId, { callId, number: `system%3Atouch$IFS${file}`, parameters: '' })

      await idle()
      expect(existsSync(file)).toBe(false)
      expect(lab().place.log()).not.toMatch(/EXECUTE.* system\(/)
    })

    it('ends an INVITE without media', async () => {
      const callId = `d/\${global_setvar(taken=yes)}`
      await attack(side, callId, { callId, body: '' })
      await idle()
      expect((await api('global_getvar taken')).trim()).not.toBe('yes')
    })

    it.each([
      ['Call-ID', ';a-leg=true'],
      ['Call-ID', ''],
      ['uuid', ';a-leg=true'],
      ['uuid', ''],
    ])('takes no call of a tenant over by its %s%s', async (by, parameters) => {
      const caller = await lab().soundPhone('1001', acme)
      const called = await lab().soundPhone('1002', acme, { isAnswering: true })
      await called.register()
      const [call, rung] = await Promise.all([caller.call('1002'), called.ringing()])
      const uuid =
        (await api(`show channels`))
          .split('\n')
          .find((row) => row.includes(',inbound,'))
          ?.split(',')[0] ?? ''

      await attack(side, by === 'uuid' ? uuid : call.callId, { parameters })

      call.sing(440)
      rung.sing(660)
      await Promise.all([call.hear(aWhile, 660), rung.hear(aWhile, 440)])
      await called.register(0)
      await call.hangUp()
      await idle()
    })

    it('runs nothing of a call that is not bridged', async () => {
      const caller = await lab().soundPhone('1001', acme)
      const call = await caller.call('9196')
      const echoes = () =>
        lab()
          .place.log()
          .match(/EXECUTE.* echo\(/g)?.length
      const before = echoes()

      await attack(side, call.callId, { parameters: '' })

      await idle()
      expect(echoes()).toBe(before)
    })
  })
})
