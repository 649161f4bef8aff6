/** Contacts that attackers register at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Server, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { writeSounds } from '../support/engine/domain-sounds.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, other] = ['acme.example.com', 'other.example.com']

/** An address that only an attacker names: what arrives there is counted. */
async function aTrap(wanted = 0) {
  const arrived: string[] = []
  const udp = createSocket('udp4').on('message', (bytes) => void arrived.push(bytes.toString().slice(0, 80)))
  udp.bind(wanted, '127.0.0.9')
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

/** A contact of which the engine keeps the first 1023 bytes only: an address in its display name, up to the bracket. */
function cutContact(address: string): string {
  const hidden = `<sip:x@${address};fs_nat=yes>`
  return `"${'a'.repeat(1_023 - 1 - hidden.length)}${hidden}bbb" <sip:1001@HERE>`
}

/** The kit with pings every second. */
function withPings(kit: string, folder: string): string {
  const copy = join(folder, 'conf')
  cpSync(kit, copy, { recursive: true })
  const file = join(copy, 'sip.xml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(ping-mean-interval" value=")25/, '$11'))
  return copy
}

describe.skipIf(freeswitchBin === undefined)('a phone that registers a hostile contact', () => {
  const harness = opened(() => aKitHarness())
  let admin: Client | undefined
  let trap: Awaited<ReturnType<typeof aTrap>>

  beforeAll(async () => {
    admin = await harness().platform.tenant(acme)
    await harness().platform.tenant(other)
    trap = await aTrap()
  })
  afterAll(() => trap.close())

  const ring = async () => {
    const body = { callerId: '1001', calledId: '9196', timeout: 5 }
    const call = await admin?.call('originateCall', { body }).catch((error: unknown) => String(error))
    await harness().engine.api('hupall')
    return call
  }
  const forget = () => harness().engine.api(`sofia profile phones flush_inbound_reg 1001=${acme}@${acme}`)
  const marker = () => join(harness().place.folder, 'ran')

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
    ['pairs of quotes', () => "<sip:10'0'1@HERE>"],
    ['an address in a display name that the engine cuts', () => cutContact(trap.address)],
    [
      'brackets and quotes in its display name',
      () => `"a\\" <sip:1@${trap.address},loopback/app=system:touch ${marker()}>" <sip:1001@HERE>`,
    ],
  ])('a hostile contact is not rung, runs nothing and leads nowhere: %s', async (_what, contact) => {
    const phone = await harness().phone('1001', acme, { contact: contact() })
    const bystander = await harness().phone('1002', other)
    await bystander.register()
    await phone.register()

    const outcome = await ring()

    await forget()
    expect(outcome).toContain('USER_NOT_REGISTERED')
    expect([phone.rang, bystander.rang, trap.arrived]).toEqual([[], [], []])
    expect(existsSync(marker())).toBe(false)
    expect(harness().place.log()).not.toMatch(/EXECUTE .* system\(/)
  })

  it('a phone is rung where its REGISTER came from, whatever host its contact names', async () => {
    const phone = await harness().phone('1001', acme, { contact: `<sip:1001@${trap.address}>` })
    await phone.register()

    await ring()

    await forget()
    expect([phone.rang.length, trap.arrived]).toEqual([1, []])
  })

  it('hostile contacts silence no other phone of the account, run nothing and lead nowhere, and are listed with the reason', async () => {
    const hostile = [
      `<sip:1001@HERE;a=,loopback/app=system:touch$IFS${marker()}>`,
      `<sip:1001@HERE;a=b,sofia/phones/sip:x@${trap.address}>`,
      `<sip:1001@HERE;maddr=127.0.0.9>`,
      cutContact(trap.address),
      ...Array.from({ length: 30 }, (_, at) =>
        [
          `<sip:1001@HERE;i=${at};${'a=,'.repeat(250)}>`,
          `<sip:1001@HERE;i=${at}${';a=b'.repeat(180)};c=,>`,
          `<sip:1001@HERE;i=${at};a=${'['.repeat(200)}${'('.repeat(300)}>`,
        ].at(at % 3),
      ),
    ]
    const hostilePhones = []
    const [first, second] = [await harness().soundPhone('1001', acme), await harness().soundPhone('1001', acme)]
    const caller = await harness().soundPhone('1002', acme)
    const bystander = await harness().phone('1002', other)
    await bystander.register()
    expect(await first.register()).toBe(200)
    for (const contact of hostile) {
      const phone = await harness().phone('1001', acme, { contact })
      expect((await phone.register()).status).toBe(200)
      hostilePhones.push(phone)
    }
    for (const phone of [second, caller]) expect(await phone.register()).toBe(200)

    const placed = caller.call('1001')
    const [, answered] = await Promise.all([first.ringing(), second.ringing()])
    answered.answer()
    const call = await placed
    call.sing(700)
    answered.sing(900)

    await Promise.all([answered.hear(25, 700), call.hear(25, 900)])
    await call.hangUp()
    expect(hostilePhones.flatMap(({ rang }) => rang)).toEqual([])
    expect([bystander.rang, trap.arrived, existsSync(marker())]).toEqual([[], [], false])
    const listed = async () => (await admin?.call('listAccounts', {}))?.data['1001']
    await expect.poll(listed, { timeout: 10_000 }).toMatchObject({ online: true, refused: 'contact' })
    await forget()
  })

  it('of more than twenty phones of an account twenty ring', async () => {
    const phones = []
    for (let at = 0; at < 22; at++) phones.push(await harness().phone('1001', acme, { isBusy: true }))
    for (const phone of phones) expect((await phone.register()).status).toBe(200)

    expect(await harness().engine.api(`originate user/1001@${acme} &park`)).toContain('USER_BUSY')

    await forget()
    expect(phones.flatMap(({ rang }) => rang)).toHaveLength(20)
  })

  it('of more than a hundred phones of an account the engine keeps the hundred that registered last', async () => {
    const listed = () => harness().engine.api(`sofia_contact */1001=${acme}@${acme}`)
    const phones = []
    for (let at = 0; at < 105; at++) {
      const phone = await harness().phone('1001', acme, { contact: `<sip:1001@HERE;number=${at}>` })
      expect((await phone.register()).status).toBe(200)
      phones.push(phone)
    }

    await phones[5]?.register()

    const numbers = (await listed()).match(/number=\d+/g) ?? []
    expect(numbers.map((number) => Number(number.slice(7))).toSorted((a, b) => a - b)).toEqual([
      5,
      ...Array.from({ length: 99 }, (_, at) => at + 6),
    ])
    await forget()
  })

  it('all phones of an account ring, and the one that answers gets the call', async () => {
    const phones = await Promise.all(['1001', '1001', '1001'].map((login) => harness().soundPhone(login, acme)))
    const caller = await harness().soundPhone('1002', acme)
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

describe.skipIf(freeswitchBin === undefined)(
  'the requests that the engine sends to registered phones by itself',
  () => {
    const harness = opened(() => aKitHarness({ change: withPings }))

    it('pings and lamps of mailboxes reach phones where their REGISTER came from, and lead nowhere else', async () => {
      await harness().platform.tenant(acme)
      const trap = await aTrap()
      const escaped = trap.address.replace(':', '%3A')
      const hostile = [
        '<sip:1001@HERE;maddr=127.0.0.9>',
        '<sip:1001@HERE;x=y;MAddr=127.0.0.9>',
        '<sip:1001@HERE;%6daddr=127.0.0.9>',
        '<sip:1001;maddr=127.0.0.9@HERE>',
        `<sip:1001@HERE;fs_path=sip%3Ax%40${escaped}>`,
        `<sip:1001@HERE;fs_nat=yes;fs_path=sip%3Ax%40${escaped}>`,
        `<sip:1001@HERE;received=${trap.address}>`,
        `"a\\" <sip:1@${trap.address}>" <sip:1001@HERE>`,
        `"${'a'.repeat(1_023 - 9 - trap.address.length)}" <sip:${trap.address}@HERE>`,
        cutContact(trap.address),
      ]
      const traps = [trap]
      for (const contact of hostile) {
        const phone = await harness().phone('1001', acme, { contact, path: `<sip:${trap.address};lr>` })
        expect((await phone.register()).status).toBe(200)
        // `maddr` names no port of its own: the phone's counts.
        traps.push(await aTrap(Number(phone.address.split(':')[1])))
      }
      const good = await harness().soundPhone('1001', acme)
      expect(await good.register()).toBe(200)
      const seen = (method: string) => good.notified.filter((request) => request.method === method).length

      await expect.poll(() => seen('OPTIONS'), { timeout: 30_000 }).toBeGreaterThanOrEqual(4)
      writeSounds(harness().place.sounds, acme)
      await harness().engine.api(`voicemail_inject 1001@${acme} ${join(harness().place.sounds, acme, 'menu.wav')}`)
      await expect.poll(() => seen('NOTIFY'), { timeout: 10_000 }).toBeGreaterThanOrEqual(1)

      expect(traps.flatMap(({ arrived }) => arrived)).toEqual([])
      for (const each of traps) each.close()
    })
  },
)

describe.skipIf(freeswitchBin === undefined)('a phone whose contact names a host of the setting', () => {
  const settings = { CONTACT_HOSTS: 'phones.example.com,127.0.0.8/32' }
  const harness = opened(() => aKitHarness({ platform: settings, sharesRecordings: false }))

  it('such a phone is rung as its contact is written, until it logs out, and any other phone at the source of its REGISTER', async () => {
    await harness().platform.tenant(acme)
    const listed = await harness().phone('1001', acme, { ip: '127.0.0.8', isBusy: true })
    const contact = `<sip:1001@${listed.address};line=1>`
    const registrar = await harness().phone('1001', acme, { contact, isBusy: true })
    const hostile = await harness().phone('1001', acme, { contact: contact.replace('line=1', 'maddr=127.0.0.9') })
    const elsewhere = await harness().phone('1001', acme, { contact: '<sip:1001@127.0.0.9:5060>', isBusy: true })
    for (const phone of [registrar, hostile, elsewhere]) expect((await phone.register()).status).toBe(200)
    const ring = () => harness().engine.api(`originate user/1001@${acme} &park`)

    expect(await ring()).toContain('USER_BUSY')
    expect([listed, registrar, hostile, elsewhere].map(({ rang }) => rang.length)).toEqual([1, 0, 0, 1])

    await registrar.register(0)
    expect(await ring()).toContain('USER_BUSY')
    expect([listed, registrar, hostile, elsewhere].map(({ rang }) => rang.length)).toEqual([1, 0, 0, 2])
  })
})
