/** Commands of the API at a real engine of the kit with two SIP profiles. Skipped without `FREESWITCH_BIN`. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import type { SipPhone } from '../support/engine/sip-phone.ts'

const acme = 'acme.example.com'
const within = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('at an engine with two SIP profiles', () => {
  let secondPort = 0
  const harness = opened(async () => {
    secondPort = await freePort()
    return aKitHarness({ settings: { SECOND_SIP_PORT: String(secondPort) }, change: withSecondProfile })
  })
  let admin: Client | undefined
  beforeAll(async () => {
    admin = await harness().platform.tenant(acme)
  })
  const tenant = (): Client => {
    if (admin === undefined) throw new Error('the tenant is made first')
    return admin
  }
  const registered = async (login: string, domain: string, port = harness().place.sipPort): Promise<SipPhone> => {
    const phone = await harness().phone(login, domain, { port })
    expect(await phone.register()).toEqual({ status: 200, hasContact: true })
    return phone
  }
  /** Counted at each profile: `show registrations` has one row for an account, however many phones it has. */
  const registrations = async (name: string) => {
    const lists = await Promise.all(
      ['phones', 'more-phones'].map((profile) => harness().engine.api(`sofia status profile ${profile} reg`)),
    )
    return lists.map(
      (list) => list.split('\n').filter((line) => line.startsWith('User:') && line.includes(name)).length,
    )
  }
  const rows = async (client: Client) => (await client.call('listChannels')).data.rows
  const accounts = async (client: Client) =>
    (await rows(client)).map(({ presence_id }) => String(presence_id)).toSorted()

  it('an originated call rings the registered account, then calls the number, and can be held and hung up', async () => {
    const [caller, called] = [await registered('1001', acme), await registered('1002', acme, secondPort)]

    const { body, headers } = await tenant().callForHeaders('originateCall', {
      body: { callerId: '1001', calledId: '1002' },
    })

    const uuid = /^\+OK ([0-9a-f-]{36})\n$/.exec(body.info)?.[1] ?? ''
    const requestId = await harness().engine.api(`uuid_getvar ${uuid} svc_request_id`)
    expect(requestId.trim()).toBe(headers.get('x-request-id'))
    // The platform routes the second leg after it has answered that the first was answered.
    await expect.poll(() => [caller.rang.length, called.rang.length], within).toEqual([1, 1])
    await expect.poll(() => accounts(tenant()), within).toEqual([`1001@${acme}`, `1002@${acme}`])
    const params = { channel_id: uuid }
    expect((await tenant().call('holdChannel', { params, body: { state: 'hold' } })).info).toBe('+OK Success\n')
    const state = async () => (await rows(tenant())).find((row) => row.uuid === uuid)?.callstate
    await expect.poll(state, within).toBe('HELD')
    expect((await tenant().call('holdChannel', { params, body: { state: 'unhold' } })).info).toBe('+OK Success\n')
    expect((await tenant().call('hangUpChannel', { params })).info).toBe('+OK\n')
    await expect.poll(() => rows(tenant()), within).toEqual([])
  })

  it('users see the calls and CDRs that their phones placed, whatever the From header says', async () => {
    const phone = await registered('1001', acme)
    const own = await harness().platform.logIn(`1001@${acme}`, tenantPassword('1001'))
    const other = await harness().platform.logIn(`1002@${acme}`, tenantPassword('1002'))
    const found = async (client: Client) => {
      const { hits } = await client.call('searchCdrs', {
        query: { leg: '*' },
        body: { query: 'destination_number:9196' },
      })
      return hits.hits.map(({ _source }) => _source?.['presence_id'])
    }

    const call = await phone.call('9196', `1002@${acme}`)

    await expect.poll(() => accounts(own), within).toEqual([`1001@${acme}`])
    expect(await rows(other)).toEqual([])
    await call.hangUp()
    await expect.poll(() => found(own), within).toEqual([`1001@${acme}`])
    expect(await found(other)).toEqual([])
  })

  it('a deleted account loses its registrations at both profiles', async () => {
    const account = { login: '1009', role: 'user', password: tenantPassword('1009') }
    await tenant().call('createAccount', { body: account })
    const phones = [await registered('1009', acme), await registered('1009', acme, secondPort)]
    await expect.poll(() => registrations('1009'), within).toEqual([1, 1])

    await tenant().call('deleteAccount', { params: { account_id: '1009' } })

    await expect.poll(() => registrations('1009'), within).toEqual([0, 0])
    for (const phone of phones) expect((await phone.register()).status).toBe(403)
    expect((await tenant().call('listAccounts')).data['1009']).toBeUndefined()
  })

  it('the calls of a deleted account end, those that its phone placed and those that it answered, and no others', async () => {
    const account = { login: '1008', role: 'user', password: tenantPassword('1008') }
    await tenant().call('createAccount', { body: account })
    const [gone, other] = [await registered('1008', acme), await registered('1001', acme)]
    const calls = [await gone.call('9196'), await other.call('1008'), await other.call('9196')]
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200])
    const callers = [`1001@${acme}`, `1001@${acme}`, `1008@${acme}`, `1008@${acme}`]
    await expect.poll(() => accounts(tenant()), within).toEqual(callers)

    await tenant().call('deleteAccount', { params: { account_id: '1008' } })

    await Promise.all([calls[0]?.ended, calls[1]?.ended])
    await expect.poll(() => accounts(tenant()), within).toEqual([`1001@${acme}`])
    await calls[2]?.hangUp()
    await expect.poll(() => rows(tenant()), within).toEqual([])
  })

  it('phones of a deleted domain are dropped at both profiles and cannot register again', async () => {
    const gone = 'gone.example.com'
    const root = await harness().platform.root()
    await root.call('createDomain', { body: { domain_name: gone, customer_id: 'test' } })
    const body = { login: '1001', role: 'user', password: tenantPassword('1001') }
    await root.call('createAccount', { query: { domain: gone }, body })
    const phones = [await registered('1001', gone), await registered('1001', gone, secondPort)]
    await expect.poll(() => registrations(gone), within).toEqual([1, 1])

    await root.call('deleteDomain', { params: { domain_name: gone } })

    for (const phone of phones) expect((await phone.register()).status).toBe(403)
    await expect.poll(() => registrations(gone), within).toEqual([0, 0])
    expect((await (await harness().phone('1001', gone)).call('9196')).status).toBe(403)
  })
})

/** Copies the kit's configuration and gives it one more profile, like the first but on another port. */
function withSecondProfile(kit: string, folder: string): string {
  const copy = join(folder, 'conf')
  cpSync(kit, copy, { recursive: true })
  const file = join(copy, 'sip.xml')
  const text = readFileSync(file, 'utf8')
  const profile = text.slice(text.indexOf('<profile name="phones">'), text.indexOf('</profiles>'))
  const second = profile.replace('"phones"', '"more-phones"').replace('{sip_port}', '{second_sip_port}')
  writeFileSync(
    file,
    text.replace('</profiles>', () => `${second}</profiles>`),
  )
  const settings = join(copy, 'settings.xml')
  const pre = readFileSync(settings, 'utf8')
  const line = '<X-PRE-PROCESS cmd="env-set" data="second_sip_port=$SECOND_SIP_PORT"/>'
  writeFileSync(
    settings,
    pre.replace('</include>', () => `${line}\n</include>`),
  )
  return copy
}
