/** Phones at a real engine with the configuration of the kit. Skipped without `FREESWITCH_BIN`. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { checkEngine } from '../../local/engine-check/check-engine.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { credentialOf } from '../support/engine/sip-message.ts'
import type { SipPhone } from '../support/engine/sip-phone.ts'

const [acme, blue] = ['acme.example.com', 'blue.example.com']
const within = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('at an engine of the kit', () => {
  const harness = opened(() => aKitHarness())
  let [admin, stranger]: Client[] = []

  beforeAll(async () => {
    admin = await harness().platform.tenant(acme)
    stranger = await harness().platform.tenant(blue)
  })

  const as = (client: Client | undefined): Client => {
    if (client === undefined) throw new Error('the tenants are made first')
    return client
  }
  const registered = async (login: string, domain: string): Promise<SipPhone> => {
    const phone = await harness().phone(login, domain)
    expect(await phone.register()).toEqual({ status: 200, hasContact: true })
    return phone
  }
  // A recorded call rings one phone of its account. The engine keeps also those that log out, until their registration
  // expires.
  afterEach(() => harness().engine.api(`sofia profile phones flush_inbound_reg 1002=${acme}@${acme}`))
  const channels = async (client: Client | undefined) => (await as(client).call('listChannels')).data.rows
  const cdrs = async (client: Client | undefined, query: string) => {
    const { hits } = await as(client).call('searchCdrs', { query: { leg: '*' }, body: { query } })
    return hits.hits.map(({ _source }) => _source ?? {})
  }

  it('the log has no error after the start of the platform', () => {
    expect(harness().errors()).toEqual([])
  })

  it("the engine check finds the kit's configuration correct, and finds an account", async () => {
    const account = { login: '1000', domain: acme }

    expect(await checkEngine((command) => harness().engine.api(command), { password: 'of the test', account })).toEqual(
      [],
    )
    expect(
      await checkEngine((command) => harness().engine.api(command), {
        password: 'ClueCon',
        account: { ...account, login: '4711' },
      }),
    ).toHaveLength(2)
  })

  describe('a phone', () => {
    it("a phone registers with its account's password, receives its own contact, and shows as online", async () => {
      const phone = await registered('1001', acme)

      const online = async () => (await as(admin).call('listAccounts')).data['1001']?.online
      await expect.poll(online, within).toBe(true)
      expect((await phone.register(0)).status).toBe(200)
      await expect.poll(online, within).toBe(false)
    })

    it.each([
      ['a wrong password', '1001', acme, 'wrong'],
      ['an account that does not exist', '4711', acme, tenantPassword('4711')],
      ['a domain that does not exist', '1001', 'nowhere.example.com', tenantPassword('1001')],
    ])('a phone is refused with %s', async (_what, login, domain, password) => {
      const phone = await harness().phone(login, domain, { password })

      expect((await phone.register()).status).toBe(403)
    })

    it('a phone is refused with the digest of the account of the same name in another domain', async () => {
      const { a1Hash } = credentialOf('1002', acme, tenantPassword('1002'))
      const phone = await harness().phone('1002', blue, { credential: { user: '1002', realm: blue, a1Hash } })

      expect((await phone.register()).status).toBe(403)
    })

    it('a phone rings for calls of its own domain only, even if another domain has a phone of the same name', async () => {
      const [ofAcme, ofBlue] = [await registered('1002', acme), await registered('1002', blue)]

      for (const caller of [await registered('1001', acme), await registered('1000', blue)]) {
        const call = await caller.call('1002')
        expect(call.status).toBe(200)
        await call.hangUp()
      }

      expect([ofAcme.rang, ofBlue.rang]).toEqual([['1001'], ['1000']])
    })
  })

  describe('a call', () => {
    it('a call belongs to the account that authenticated, whatever its From header says', async () => {
      const caller = await registered('1001', acme)

      const call = await caller.call('9196', `1000@${blue}`)

      expect(call.status).toBe(200)
      await expect.poll(() => channels(admin), within).toMatchObject([{ presence_id: `1001@${acme}` }])
      expect(await channels(stranger)).toEqual([])
      await call.hangUp()
      await expect
        .poll(() => cdrs(admin, 'destination_number:9196'), within)
        .toMatchObject([{ presence_id: `1001@${acme}`, domain_name: acme, leg: 'a' }])
      expect(await cdrs(stranger, 'destination_number:9196')).toEqual([])
    })

    it('a call reaches an account of its own domain, and is listed as two legs, each with its account', async () => {
      const [caller] = [await registered('1001', acme), await registered('1002', acme)]

      const call = await caller.call('1002')

      expect(call.status).toBe(200)
      await expect
        .poll(async () => new Set((await channels(admin)).map(({ presence_id }) => presence_id)), within)
        .toEqual(new Set([`1001@${acme}`, `1002@${acme}`]))
      await call.hangUp()
      await expect.poll(() => channels(admin), within).toEqual([])
    })

    it('a call never reaches an account of another domain', async () => {
      const [caller, elsewhere] = [await registered('1001', acme), await registered('1000', blue)]

      for (const number of ['1003', `1000%40${blue}`, `1000=${blue}`, `user/1000%40${blue}`]) {
        expect((await caller.call(number)).status).toBeGreaterThanOrEqual(400)
      }

      expect(elsewhere.rang).toEqual([])
    })

    it('a call to *1 and an account is recorded, and the recording is stored and removed from the engine', async () => {
      const [caller, called] = [await registered('1001', acme), await registered('1002', acme)]

      const call = await caller.call('*11002')

      expect(call.status).toBe(200)
      expect(called.rang).toEqual(['1001'])
      const own = async () => (await channels(admin)).find(({ presence_id }) => presence_id === `1001@${acme}`)?.uuid
      await expect.poll(own, within).toBeDefined()
      const uuid = (await own()) ?? ''
      await call.hangUp()
      await expect
        .poll(
          () =>
            as(admin)
              .call('readRecording', { params: { uuid }, query: { type: 'all' } })
              .catch(() => []),
          within,
        )
        .toMatchObject([{ name: `${uuid}.wav`, 'content-type': 'audio/wav', status: 'stored' }])
    })
  })

  describe('an attacker', () => {
    it('an attacker cannot register under the address of another account, although the engine has cached the answer about its own', async () => {
      const [victim, caller] = [await registered('1002', acme), await registered('1001', acme)]
      const attacker = await registered('1002', blue)

      const attempt = await attacker.register(3_600, `1002@${acme}`)
      const call = await caller.call('1002')
      await call.hangUp()

      // The engine accepts the registration, under the full name of the attacker's own account: no call to 1002@acme is
      // routed to it.
      expect(attempt.status).toBe(200)
      expect([victim.rang, attacker.rang]).toEqual([['1001'], []])
      const registrations = await harness().engine.api('show registrations')
      expect(registrations).toContain(`1002=${acme},${acme},`)
      expect(registrations).not.toContain(`1002=${acme},${blue},`)
    })

    it('a phone whose account and domain, joined, equal those of another account cannot authenticate as that one', async () => {
      const client = await harness().platform.root()
      const body = { domain_name: 'me.example.com', customer_id: 'test' }
      await client.call('createDomain', { body })
      const account = { login: '1000ac', role: 'user', password: tenantPassword('1000ac') }
      await client.call('createAccount', { query: { domain: 'me.example.com' }, body: account })
      const own = credentialOf('1000ac', 'me.example.com', tenantPassword('1000ac'))
      await (await harness().phone('1000ac', 'me.example.com')).register()

      const phone = await harness().phone('1000', acme, { credential: { ...own, user: '1000', realm: acme } })

      expect((await phone.register()).status).toBe(403)
      expect((await phone.call('9196')).status).toBe(403)
    })

    it("a phone with a login that joins to another account's address gains nothing if the domain is created later", async () => {
      const client = await harness().platform.root()
      await client.call('createDomain', { body: { domain_name: 'corp.example.com', customer_id: 'test' } })
      const account = { login: '1000in', role: 'user', password: tenantPassword('1000in') }
      await client.call('createAccount', { query: { domain: 'corp.example.com' }, body: account })
      const own = credentialOf('1000in', 'corp.example.com', tenantPassword('1000in'))
      const later = 'incorp.example.com'
      const kept = await harness().phone('1000in', 'corp.example.com')
      const attempt = await harness().phone('1000', later, { credential: { ...own, user: '1000', realm: later } })
      expect((await kept.register()).status).toBe(200)

      await harness().platform.tenant(later)

      await expect.poll(async () => (await attempt.register()).status, within).toBe(403)
      expect((await kept.register()).status).toBe(200)
      expect((await attempt.register()).status).toBe(403)
    })
  })

  it('a new password is in force at once, although the engine had cached the old one', async () => {
    const [old, next] = [
      await registered('1002', blue),
      await harness().phone('1002', blue, { password: 's3cr3t-next' }),
    ]

    await as(stranger).call('updateAccount', { params: { account_id: '1002' }, body: { password: 's3cr3t-next' } })

    await expect.poll(async () => (await next.register()).status, within).toBe(200)
    expect((await old.register()).status).toBe(403)
  })
})
