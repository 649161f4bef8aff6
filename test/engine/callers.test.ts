/**
 * Who a caller is, and who may transfer a call of a gateway, at a real engine of the kit. Skipped without
 * `FREESWITCH_BIN`.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client, Input } from '../../client/index.ts'
import type { Receiver } from '../../local/demo/receiver.ts'
import { createTaken, trunkTo } from '../support/engine/gateway-taken.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import { type SipMessage, credentialOf, headerOf } from '../support/engine/sip-message.ts'
import type { SoundCall } from '../support/engine/sound-call.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'
import { aWhile } from '../support/engine/sound-stream.ts'

const acme = 'acme.example.com'
/** The address of the provider, at which the other side of each gateway is. */
const provider = '127.0.0.11'
const [own, ownOf1001, forged] = ['380441230000', '380441230001', '447700900']
/** The answer to a REFER where no transfer is allowed. */
const notAllowed = 405
const callEvents = ['CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE']

describe.skipIf(freeswitchBin === undefined)('callers at an engine of the kit', () => {
  const rescue = { EMERGENCY_GATEWAY: `${acme}_trunk` }
  const harness = opened(() => aGatewayHarness(rescue, rescue))
  let made:
    | {
        admin: Client
        root: Client
        far: SoundPhone
        forger: SoundPhone
        phones: readonly SoundPhone[]
        receiver: Receiver
      }
    | undefined
  const the = () => {
    if (made === undefined) throw new Error('the tenant and its phones are made first')
    return made
  }
  const phone = (index: number): SoundPhone => {
    const found = the().phones[index]
    if (found === undefined) throw new Error(`there is no phone ${index}`)
    return found
  }
  const gateway = (name: string, more: Partial<Input<'createGateway'>['body']>) => {
    const { admin: client, far } = the()
    const body = trunkTo({ address: far.address, ip: provider }, name, more)
    return createTaken({ engine: harness().engine, client, domain: acme }, body)
  }
  const route = (destination_number: string, ...callflow: unknown[]) =>
    the().admin.call('createDefaultRoute', { body: { destination_number, callflow } })
  const publicRoute = (destination_number: string, ...callflow: unknown[]) =>
    the().admin.call('createPublicRoute', { body: { destination_number, callflow } })
  const through = (name: string) => ({ bridge: { endpoints: [{ type: 'gateway', name, dialString: '$1' }] } })
  const parameters = (...body: string[]) =>
    the().root.call('updateDomainParameters', { params: { domain_name: acme }, body })
  const numberOf = (login: string, number: string) =>
    the().admin.call('updateAccount', {
      params: { account_id: login },
      body: { variables: [`outbound_caller_id_number=${number}`] },
    })
  const userIn = (invite: SipMessage | undefined, name: string) =>
    /sip:([^@;>]*)@/.exec(invite === undefined ? '' : headerOf(invite, name))?.[1]
  /** The forger, who is 1000, calls a number; returns the INVITE at the other side. */
  const forgedCall = async (number: string, other: SoundPhone) => {
    const call = await the().forger.dial(number)
    const rung = await other.ringing(call)
    rung.answer()
    expect(await call.answered).toBe(200)
    await call.hangUp()
    return rung.invite
  }
  const saysNothingForged = (invite: SipMessage | undefined) => {
    expect(JSON.stringify(invite?.headers)).not.toMatch(new RegExp(`${forged}|The Bank|secret word`))
  }

  beforeAll(async () => {
    const admin = await harness().platform.tenant(acme)
    const phones = [await harness().soundPhone('1001', acme), await harness().soundPhone('1002', acme)]
    for (const each of phones) expect(await each.register()).toBe(200)
    const party = { port: harness().gatewayPort, ip: provider, isAnswering: true }
    const far = await harness().soundPhone('380671112233', '127.0.0.1', party)
    const forger = await harness().soundPhone(`${forged}123`, acme, {
      credential: credentialOf('1000', acme, tenantPassword('1000')),
      display: 'The Bank',
      headers: [
        ['P-Asserted-Identity', `"The Bank" <sip:${forged}124@${acme}>`],
        ['P-Preferred-Identity', `<sip:${forged}125@${acme}>`],
        ['Remote-Party-ID', `"The Bank" <sip:${forged}126@${acme}>;party=calling;privacy=off;screen=yes`],
        ['Diversion', `<sip:${forged}127@${acme}>;reason=unconditional`],
        ['P-Charge-Info', `<sip:${forged}128@${acme}>`],
        ['Referred-By', `<sip:${forged}129@${acme}>`],
        ['History-Info', `<sip:${forged}130@${acme}>;index=1`],
        ['X-Callplane-Call', 'secret word'],
      ],
    })
    const receiver = await harness().platform.receiver()
    const filter = { 'Caller-Destination-Number': { operation: '==' as const, value: '1001' } }
    const action = { type: 'web' as const, method: 'POST', url: receiver.url }
    await admin.call('createHooks', { body: callEvents.map((event) => ({ event, action, filter })) })
    made = { admin, root: await harness().platform.root(), far, forger, phones, receiver }
    await numberOf('1000', own)
    await numberOf('1001', ownOf1001)
    await gateway('trunk', { username: 'pbx' })
    await route('90(.+)', through('trunk'))
  })

  describe('the number that others see', () => {
    it('a carrier sees the number of the account, and nothing that a phone sends about another', async () => {
      const invite = await forgedCall('9044', the().far)

      expect([userIn(invite, 'from'), userIn(invite, 'remote-party-id')]).toEqual([own, own])
      saysNothingForged(invite)
    })

    it('steps of a route cannot show another number to a carrier', async () => {
      await route(
        '91(.+)',
        { setVar: 'all:effective_caller_id_number=447700900200' },
        { exportVars: { outbound_caller_id_number: '447700900201' } },
        { setProfileVar: ['caller_id_number=447700900202', 'ani=447700900203', 'caller_id_name=The Bank'] },
        through('trunk'),
      )

      const invite = await forgedCall('9144', the().far)

      expect(userIn(invite, 'from')).toBe(own)
      saysNothingForged(invite)
    })

    it('a colleague, and the events of the call, show the account', async () => {
      const call = await the().forger.dial('1001')
      const rung = await phone(0).ringing()
      rung.answer()
      expect(await call.answered).toBe(200)
      await call.hangUp()

      expect(userIn(rung.invite, 'from')).toBe('1000')
      expect(headerOf(rung.invite ?? { headers: [], body: '' }, 'from')).toMatch(/^"1000" /)
      expect(JSON.stringify(rung.invite?.headers.filter(([name]) => !name.startsWith('x-')))).not.toContain('The Bank')
      for (const event of callEvents) {
        const { data } = JSON.parse((await the().receiver.next(event)).body)
        expect([data['Caller-Caller-ID-Number'], data['Caller-Caller-ID-Name'], data['Caller-ANI']]).toEqual([
          '1000',
          '1000',
          '1000',
        ])
      }
    })

    it('a call that the API places shows the number of the account that it is placed for', async () => {
      const placed = the().admin.call('originateCall', { body: { callerId: '1001', calledId: '9044' } })
      ;(await phone(0).ringing()).answer()
      const { invite } = await the().far.ringing()
      await placed

      expect(userIn(invite, 'from')).toBe(ownOf1001)
    })

    it('an emergency call shows the number of the account', async () => {
      const invite = await forgedCall('112', the().far)

      expect([userIn(invite, 'from'), invite?.uri]).toEqual([own, expect.stringMatching(/^sip:112@/)])
      saysNothingForged(invite)
    })

    it('a dialled text with parameters is routed by the number before them', async () => {
      const invite = await forgedCall('112;phone-context=+49', the().far)
      expect(invite?.uri).toMatch(/^sip:112@/)

      expect(userIn(await forgedCall('1002;user=phone', phone(1)), 'from')).toBe('1000')
      await publicRoute('47', { bridge: { endpoints: [{ type: 'user', name: '1002' }] } })
      const call = await the().far.dial('47;npdi')
      ;(await phone(1).ringing()).answer()
      expect(await call.answered).toBe(200)
      await call.hangUp()
    })

    it('only the numbers that root has listed are shown, and what phones send only where root allows it', async () => {
      await parameters('own-numbers=380440000001,380440000002')
      // What a domain's calls are decided by may be two seconds old.
      const shown = (number: string) =>
        expect.poll(async () => userIn(await forgedCall(number, the().far), 'from'), { timeout: 20_000 })
      await shown('9044').toBe('380440000001')

      await parameters('own-numbers=', 'trusted-caller-ids=true')
      await gateway('keeping', { caller_id: 'keep' })
      await route('92(.+)', through('keeping'))
      await shown('9244').toMatch(new RegExp(`^${forged}`))
      await parameters('trusted-caller-ids=')
      await shown('9244').toBe(own)
    })
  })

  describe('a transfer of a call of a gateway', () => {
    const isUp = async (...calls: readonly SoundCall[]) => {
      for (const [index, call] of calls.entries()) call.sing(500 + 400 * index)
      await Promise.all(calls.map((call, index) => call.hear(aWhile, 500 + 400 * (1 - index))))
    }
    const incoming = async (number: string): Promise<readonly [SoundCall, SoundCall]> => {
      const call = await the().far.dial(number)
      const rung = await phone(0).ringing()
      rung.answer()
      expect(await call.answered).toBe(200)
      await isUp(call, rung)
      return [call, rung]
    }

    beforeAll(async () => {
      await publicRoute('44(1001)', { bridge: { endpoints: [{ type: 'user', name: '$1' }] } })
      await publicRoute('45(1001)', { goto: '$1' })
      await publicRoute('46', { answer: '' }, { echo: '' })
    })

    it.each(['441001', '451001'])(
      'a phone hands the caller of %s over to a colleague without asking',
      async (number) => {
        const [call, rung] = await incoming(number)

        expect(await rung.transfer('1002')).toBe(202)
        const other = await phone(1).ringing()
        other.answer()

        await isUp(call, other)
        expect(userIn(other.invite, 'from')).toBe('380671112233')
        await call.hangUp()
      },
    )

    it('a phone hands a caller over to a colleague whom it has asked, or whom it is still calling', async () => {
      for (const isAnswered of [true, false]) {
        const [call, rung] = await incoming('441001')
        const asking = await phone(0).dial('1002')
        const asked = await phone(1).ringing()
        if (isAnswered) {
          asked.answer()
          expect(await asking.answered).toBe(200)
        }

        expect(await rung.transferTo(asking)).toBe(202)
        if (!isAnswered) asked.answer()

        await isUp(call, asked)
        await call.hangUp()
      }
    })

    it('a phone hands over a number that it has called through a gateway', async () => {
      const call = await phone(0).call('9044')
      const far = await the().far.ringing()

      expect(await call.transfer('1002')).toBe(202)
      const other = await phone(1).ringing()
      other.answer()

      await isUp(far, other)
      await far.hangUp()
    })

    it.each([
      ['a phone', '441001', true],
      ['a phone by a number of the domain', '451001', true],
      ['no phone', '46', false],
    ])('the other side of a call of a gateway, which talks to %s, cannot transfer it', async (_what, number, rings) => {
      const call = rings ? (await incoming(number))[0] : await the().far.call(number)

      for (const target of ['1002', '9055', '441001', '911']) expect(await call.transfer(target)).toBe(notAllowed)

      call.sing(500)
      await call.hear(aWhile)
      await call.hangUp()
    })

    it('the other side of a call that a phone has placed through a gateway cannot transfer it', async () => {
      const call = await phone(0).call('9044')
      const far = await the().far.ringing()

      for (const target of ['1002', '9055']) expect(await far.transfer(target)).toBe(notAllowed)

      await isUp(call, far)
      await call.hangUp()
    })

    it('the other side of two calls of a gateway cannot join them', async () => {
      const [first] = await incoming('441001')
      const second = await the().far.call('46')

      expect(await first.transferTo(second)).toBe(notAllowed)

      await second.hangUp()
      await first.hangUp()
    })
  })

  it('while the platform is away, a call shows the login of the account', async () => {
    // The engine keeps the account from here on.
    await forgedCall('9044', the().far)
    await harness().platform.stop()

    const invite = await forgedCall('112', the().far)
    expect([userIn(invite, 'from'), invite?.uri]).toEqual(['1000', expect.stringMatching(/^sip:112@/)])
    saysNothingForged(invite)
    expect((await forgedCall('112;phone-context=+49', the().far))?.uri).toMatch(/^sip:112@/)
    expect((await forgedCall('1002;user=phone', phone(1)))?.uri).toMatch(/^sip:1002@/)
    const rung = await forgedCall('1001', phone(0))
    expect([userIn(rung, 'from'), headerOf(rung ?? { headers: [], body: '' }, 'from')]).toEqual([
      '1000',
      expect.stringMatching(/^"1000" /),
    ])
    saysNothingForged(rung)
    harness().platform = await harness().startPlatform()
  })
})
