/**
 * A phone at home and an engine in a cloud, both behind translated addresses. Skipped without `FREESWITCH_BIN`, root or
 * nftables.
 */
import { describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import {
  type HiddenPhone,
  addresses,
  makeNetworks,
  networkObstacle,
  openHiddenPhone,
} from '../support/engine/translated-network.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const obstacle = networkObstacle()
if (obstacle !== undefined) console.log(`translated networks are not tried: ${obstacle}`)

describe.skipIf(freeswitchBin === undefined || obstacle !== undefined)('behind translated addresses', () => {
  const harness = opened(async () => {
    const networks = makeNetworks()
    const settings = { SIP_IP: addresses.engine, GATEWAY_SIP_IP: '127.0.0.1', EXTERNAL_IP: addresses.publicEngine }
    const kit = await aKitHarness({ settings })
    await kit.platform.tenant(acme)
    const account = { port: kit.place.sipPort, login: '1001', domain: acme, password: tenantPassword('1001') }
    const hidden: HiddenPhone = await openHiddenPhone(account)
    return {
      ...kit,
      hidden,
      nearPhone: () => kit.soundPhone('1002', acme, { ip: addresses.engine, engine: addresses.engine }),
      close: async () => {
        await hidden.close()
        await kit.close()
        networks.remove()
      },
    }
  })

  /** Says whether the engine calls the phone where its REGISTER came from. */
  const isCalledAtSource = async () =>
    (await harness().engine.api('sofia status profile phones reg')).includes(`@${addresses.publicPhone}:`)

  it('a phone behind a router registers, calls by the public address of the engine, and hears itself', async () => {
    const { hidden } = harness()

    expect(await hidden.order({ do: 'register' })).toBe('200')
    expect(await hidden.order({ do: 'call', number: '9196' })).toBe('done')
    await hidden.order({ do: 'sing', hz: 440 })

    expect(await hidden.order({ do: 'hear', hz: 440 })).toBe('done')
    await hidden.order({ do: 'hangUp' })
  })

  it("a phone in the engine's own network is told the private address, and hears the one behind the router, which it calls", async ({
    skip,
  }) => {
    const { hidden, nearPhone } = harness()
    expect(await hidden.order({ do: 'register' })).toBe('200')
    skip(!(await isCalledAtSource()), 'phones are called at their contact')
    const near = await nearPhone()
    expect(await near.register()).toBe(200)

    const call = await near.dial('1001')
    expect(await hidden.order({ do: 'answer' })).toBe('done')
    expect(await call.answered).toBe(200)
    call.sing(700)
    await hidden.order({ do: 'sing', hz: 1_100 })

    expect(await Promise.all([hidden.order({ do: 'hear', hz: 700 }), call.hear(25, 1_100)])).toEqual([
      'done',
      undefined,
    ])
    await call.hangUp()
  })
})
