/** Contacts that attackers register at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type Server, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitLab } from '../support/engine/kit-lab.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, other] = ['acme.example.com', 'other.example.com']

/** An address that only an attacker names: what arrives there is counted. */
async function aTrap() {
  const arrived: string[] = []
  const udp = createSocket('udp4').on('message', (bytes) => void arrived.push(bytes.toString().slice(0, 80)))
  udp.bind(0, '127.0.0.9')
  await once(udp, 'listening')
  const { port } = udp.address()
  const tcp: Server = createServer(() => void arrived.push('a TCP connection')).listen(port, '127.0.0.9')
  await once(tcp, 'listening')
  return {
    address: `127.0.0.9:${port}`,
    arrived,
    close: () => {
      udp.close()
      tcp.close()
    },
  }
}

describe.skipIf(freeswitchBin === undefined)('a phone that registers a hostile contact', () => {
  const lab = opened(() => aKitLab())
  let admin: Client | undefined
  let trap: Awaited<ReturnType<typeof aTrap>>

  beforeAll(async () => {
    admin = await lab().platform.tenant(acme)
    await lab().platform.tenant(other)
    trap = await aTrap()
  })
  afterAll(() => trap.close())

  const ring = async () => {
    const body = { callerId: '1001', calledId: '9196', timeout: 5 }
    const call = await admin?.call('originateCall', { body }).catch((error: unknown) => String(error))
    await lab().engine.api('hupall')
    return call
  }
  const forget = () => lab().engine.api(`sofia profile phones flush_inbound_reg 1001=${acme}@${acme}`)
  const marker = () => join(lab().place.folder, 'ran')

  it.each([
    ['an application in a parameter', () => `<sip:1001@HERE;a=,loopback/app=system:touch$IFS${marker()}>`],
    ['a gateway of another tenant', () => `<sip:1001@HERE;a=,sofia/gateway/${other}_trunk/19005551234;b=x>`],
    ['a second address', () => `<sip:1001@HERE;a=b,sofia/phones/sip:x@${trap.address}>`],
    [
      'a second address with the note of the engine',
      () => `<sip:1001@HERE;fs_nat=yes,sofia/phones/sip:x@${trap.address};fs_nat=yes>`,
    ],
    ['another context', () => `<sip:1001@HERE;a=,loopback/1002/${other}>`],
    ['another account', () => `<sip:1001@HERE;a=,user/1002@${other}>`],
    ['an escape of a comma', () => '<sip:1001@HERE;line=a%2Cb>'],
    ['an escape of a bracket', () => '<sip:1001@HERE;line=a%5bb>'],
    ['maddr', () => '<sip:1001@HERE;maddr=127.0.0.9>'],
    ['a path of its own', () => `<sip:1001@HERE;fs_path=sip%3Ax%40${trap.address.replace(':', '%3A')}>`],
    ['a path in capitals', () => `<sip:1001@HERE;FS_PATH=sip%3Ax%40${trap.address.replace(':', '%3A')}>`],
    ['an expansion', () => `<sip:1001@HERE;a=\${system(touch ${marker()})}>`],
    ['quotes', () => "<sip:10'01@HERE;a='x'>"],
    ['a bar', () => '<sip:1001@HERE;a=|error/USER_BUSY>'],
    ['percent-encoded marks', () => '<sip:%22%27%7C@HERE>'],
    [
      'brackets and quotes in its display name',
      () => `"a\\" <sip:1@${trap.address},loopback/app=system:touch ${marker()}>" <sip:1001@HERE>`,
    ],
  ])('a hostile contact is not rung, runs nothing and leads nowhere: %s', async (_what, contact) => {
    const phone = await lab().phone('1001', acme, { contact: contact() })
    const bystander = await lab().phone('1002', other)
    await bystander.register()
    await phone.register()

    const outcome = await ring()

    await forget()
    expect(outcome).toContain('USER_NOT_REGISTERED')
    expect([phone.rang, bystander.rang, trap.arrived]).toEqual([[], [], []])
    expect(existsSync(marker())).toBe(false)
    expect(lab().place.log()).not.toMatch(/EXECUTE .* system\(/)
  })

  it('a phone is rung where its REGISTER came from, whatever host its contact names', async () => {
    const phone = await lab().phone('1001', acme, { contact: `<sip:1001@${trap.address}>` })
    await phone.register()

    await ring()

    await forget()
    expect([phone.rang.length, trap.arrived]).toEqual([1, []])
  })

  it('all phones of an account ring, and the one that answers gets the call', async () => {
    const phones = await Promise.all(['1001', '1001', '1001'].map((login) => lab().soundPhone(login, acme)))
    const caller = await lab().soundPhone('1002', acme)
    for (const phone of [...phones, caller]) expect(await phone.register()).toBe(200)

    const placed = caller.call('1001')
    const [, second] = await Promise.all(phones.map((phone) => phone.ringing()))
    second?.answer()
    const call = await placed
    call.sing(700)

    await second?.hear(25, 700)
    await call.hangUp()
    await forget()
  })
})
