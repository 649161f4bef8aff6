import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as readDomain } from '../../../functions/domains/read-domain.ts'
import { handler as updateParameters } from '../../../functions/domains/update-domain-parameters.ts'
import { writeDirectoryXml } from '../../../functions/engine/write-directory-xml.ts'
import { anApi, passwordOf } from '../../support/platform/api.ts'
import {
  askDirectory as ask,
  directoryForm as form,
  readDirectory as read,
  readWhole,
} from '../../support/platform/directory-reader.ts'
import { fixed, hostileText } from '../../support/records/hostile-text.ts'
import { aDomain } from '../../support/records/records.ts'

/** The request that a real engine sent, and the answer that satisfied it. */
const recorded = (name: string) => {
  const file = (ending: string) =>
    readFileSync(new URL(`../../fixtures/freeswitch/xml-curl/${name}-1.${ending}`, import.meta.url), 'utf8')
  return { form: file('http').split('\r\n\r\n')[1] ?? '', answer: readWhole(file('answer.xml')) }
}

/** The tenant of the recordings. */
async function setUp() {
  const api = anApi()
  await api.account({ domain: 'tenant1.example.com', login: '1000', numbers: ['1000', '501'] })
  return api
}

describe('the directory', () => {
  it.each(['register-a1-hash', 'call-user'])(
    'the directory answers the engine of the recording %s with everything it needs',
    async (name) => {
      const { form, answer } = recorded(name)

      const given = await ask(await setUp(), form)

      // The recorded engine pasted the contacts of phones into its dial string; ours are checked first.
      const params = { ...answer.params, 'dial-string': expect.stringContaining('${sofia_contact(*/${dialed_user}@') }
      expect(given).toMatchObject({ section: 'directory', domain: answer.domain, params })
      expect(given.users.map(({ id }: { id: string }) => id)).toEqual(['1000'])
      expect(given.users[0].params['a1-hash']).toBe(
        createHash('md5')
          .update(`1000:tenant1.example.com:${passwordOf('1000')}`)
          .digest('hex'),
      )
      expect(given.users[0].variables).toMatchObject({
        user_context: 'tenant1.example.com',
        w_domain: 'tenant1.example.com',
        account_role: 'user',
        effective_caller_id_name: '1000',
      })
    },
  )

  it.each(['register-unknown-user', 'register-unknown-domain', 'call-user-unknown', 'userauth'])(
    'answers the recorded %s as not found',
    async (name) => {
      const { form } = recorded(name)

      expect(await ask(await setUp(), form)).toMatchObject({ section: 'result', status: 'not found', users: [] })
    },
  )

  it('the directory answers a question for a domain without a user', async () => {
    const given = await ask(await setUp(), recorded('api-domain-exists').form)

    expect(given).toMatchObject({ section: 'directory', domain: 'tenant1.example.com', users: [] })
  })

  it.each([
    'section=dialplan',
    'section=configuration&tag_name=configuration&key_name=name&key_value=sofia.conf',
    'section=directory&tag_name=&key_name=&key_value=&purpose=gateways',
    '',
    form({ user: '1000' }),
    form({ user: '1000', domain: 'tenant2.example.com' }),
    form({ user: '../1000', domain: 'tenant1.example.com' }),
    form({ user: '1000', domain: 'tenant1.example.com#' }),
  ])('the directory answers %j as not found', async (body) => {
    expect(await ask(await setUp(), body)).toMatchObject({ status: 'not found' })
  })

  it("the directory's answer never contains a password, nor the voicemail PIN", async () => {
    const api = anApi()
    const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
    const body = { login: '2000', password: 's3cr3t-pass', role: 'user', parameters: ['vm-password=4711471147'] }
    await api.call(createAccount, { body, headers })

    const { text, users } = await ask(api, form({ user: '2000', domain: 'a.example.com' }))

    expect(text).not.toMatch(/s3cr3t-|4711/)
    expect(Object.keys(users[0].params)).toEqual(expect.arrayContaining(['a1-hash', 'vm-a1-hash']))
    expect(Object.keys(users[0].params).filter((name) => /password/.test(name))).toEqual([])
  })

  it('the directory serves the PIN of the domain as a digest to accounts without one of their own, and to no other', async () => {
    const api = anApi()
    const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }
    const params = { domain_name: 'a.example.com' }
    for (const [login, parameters] of [
      ['2000', []],
      ['2001', ['vm-password=4711471147']],
    ] as const) {
      await api.call(createAccount, {
        headers: admin,
        body: { login, password: 's3cr3t-pass', role: 'user', parameters },
      })
    }
    const own = (await ask(api, form({ user: '2001', domain: 'a.example.com' }))).users[0].params['vm-a1-hash']

    const changed = await api.call(updateParameters, { params, headers: admin, body: ['vm-password=08150815'] })
    const [first, second] = [
      await ask(api, form({ user: '2000', domain: 'a.example.com' })),
      await ask(api, form({ user: '2001', domain: 'a.example.com' })),
    ]

    expect(changed.status).toBe(200)
    // md5 of "2000:a.example.com:08150815", which the engine's voicemail compares.
    expect(first.users[0].params['vm-a1-hash']).toBe(
      createHash('md5').update('2000:a.example.com:08150815').digest('hex'),
    )
    expect(second.users[0].params['vm-a1-hash']).toBe(own)
    expect(first.text + second.text).not.toMatch(/0815|vm-password/)
    expect(changed.body.info.parameters).toEqual(['vm-password=********'])
    const read = await api.call(readDomain, { params, headers: admin })
    expect(read.body.info).toMatchObject({ parameters: ['vm-password=********'] })
    expect(read.text).not.toContain('0815')
    await api.call(updateParameters, { params, headers: admin, body: ['vm-password='] })
    // No digest is equal to it. Without any, the engine would take the digits of a phone's password for the PIN.
    expect((await ask(api, form({ user: '2000', domain: 'a.example.com' }))).users[0].params['vm-a1-hash']).toBe('none')
  })

  it('the directory keeps the mail settings of a mailbox, which are not for the engine', async () => {
    const api = anApi()
    const mails = {
      'vm-mailto': 'me@b.example.com',
      'vm-attach-file': 'true',
      'vm-email-all-messages': 'true',
      'vm-keep-local-after-email': 'false',
      'vm-notify-mailto': 'me@b.example.com',
      'vm-notify-email-all-messages': 'true',
      'vm-message-ext': 'mp3',
    }
    await api.ports.domains.create(aDomain({ parameters: { ...mails, 'vm-disk-quota': '60' } }))
    const parameters = { ...mails, 'vm-skip-instructions': 'true', 'vm-alternate-greet-id': '42' }
    await api.account({ login: '2000', numbers: ['2000'], parameters })

    const { params, users } = await ask(api, form({ user: '2000', domain: 'a.example.com' }))

    const voicemail = (record: object) => Object.keys(record).filter((name) => name.startsWith('vm-'))
    expect(voicemail(params)).toEqual(['vm-disk-quota'])
    expect(voicemail(users[0].params)).toEqual(['vm-a1-hash', 'vm-skip-instructions', 'vm-alternate-greet-id'])
  })

  it.each([
    ['of the account', { 'vm-enabled': 'true' }, {}, 'true'],
    ['that the account switched off', { 'vm-enabled': 'false' }, { 'vm-enabled': 'true' }, 'false'],
    ['of the domain', {}, { 'vm-enabled': 'true' }, undefined],
  ])('the directory serves the mailbox %s as it is set there', async (_which, own, ofDomain, served) => {
    const api = anApi()
    await api.ports.domains.create(aDomain({ parameters: ofDomain }))
    await api.account({ login: '2000', numbers: ['2000'], parameters: own })

    const { users } = await ask(api, form({ user: '2000', domain: 'a.example.com' }))

    expect(users[0].params['vm-enabled']).toBe(served)
  })

  it.each([
    ['..', 'false'],
    ['.', 'false'],
    ['-x', 'false'],
    ['a.b', 'true'],
  ])(
    'the directory serves the stored login %s with vm-enabled %s, since its mailbox is a folder',
    async (login, enabled) => {
      const api = anApi()
      await api.account({ login, domain: 'a.example.com', parameters: { 'vm-enabled': 'true' } })

      const { users } = await ask(api, form({ user: login, domain: 'a.example.com' }))

      expect(users[0].params['vm-enabled']).toBe(enabled)
    },
  )

  it('the directory serves no stored setting that has the name of an account field', async () => {
    const api = anApi()
    const parameters = { password: 'planted', role: 'admin', 'svc-extensions': '911', 'vm-password': '4711' }
    await api.account({ login: '2000', numbers: ['2000'], parameters })

    const { users } = await ask(api, form({ user: '2000', domain: 'a.example.com' }))

    expect(users[0].params['svc-extensions']).toBe('2000')
    expect(Object.keys(users[0].params).filter((name) => /password|^role$/.test(name))).toEqual([])
  })

  it("the directory's answer has the settings of the domain, except a rule of its own for reaching phones", async () => {
    const api = anApi()
    await api.ports.domains.create(aDomain({ parameters: { 'vm-enabled': 'true', 'dial-string': 'loopback/1' } }))

    const { params } = await ask(api, form({ domain: 'a.example.com' }))

    expect(params).toMatchObject({ 'vm-enabled': 'true', 'dial-string': expect.stringContaining('sofia_contact') })
  })

  it('the directory does not find a deleted account', async () => {
    const api = await setUp()
    const account = await api.ports.accounts.read('tenant1.example.com', '1000')
    if (account !== undefined) await api.ports.accounts.remove(account)

    expect(await ask(api, recorded('register-a1-hash').form)).toMatchObject({ status: 'not found' })
  })
})

const recordings = readdirSync(new URL('../../fixtures/freeswitch/xml-curl/', import.meta.url))
  .filter((file) => file.endsWith('.http'))
  .map((file) => file.replace(/-1\.http$|\.http$/, (ending) => (ending === '-1.http' ? '' : ending)))

describe("the engine's preprocessor", () => {
  it.each(recordings)(
    "the engine's preprocessor leaves the answer to the recorded request %s unchanged",
    async (name) => {
      const given = await ask(await setUp(), requestOf(name))

      expect(given).toMatchObject({ section: expect.stringMatching(/^(?:directory|result)$/) })
    },
  )

  it("the engine's preprocessor can drop no more than one element with a line", () => {
    const user = { id: '1000', parameters: { first: '1', second: '2' }, variables: { x_a: '3' } }
    const xml = writeDirectoryXml({ found: true, name: 'a', parameters: {}, variables: {}, user })

    const elements = xml.split('\n').map((line) => line.match(/<[a-z]/g)?.length ?? 0)

    expect(elements.filter((count) => count > 0).length).toBeGreaterThan(5)
    expect(Math.max(...elements)).toBe(1)
  })

  it("only two operations return XML to the engine's preprocessor, and both have tests of their own", () => {
    expect(
      routes.filter(({ responseType }) => responseType?.includes('xml')).map(({ operationId }) => operationId),
    ).toEqual(['lookUpDirectory', 'lookUpDialplan'])
  })

  it("the engine's preprocessor leaves every value unchanged, and no value can add a directive", () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, directive), fc.oneof(hostileText, directive), (name, text) => {
        const user = { id: '1000', parameters: { first: text, second: '1' }, variables: { [`x_${name}`]: text } }
        const xml = writeDirectoryXml({ found: true, name: 'a', parameters: { p: text }, variables: {}, user })

        const { params, users, variables } = read(xml)

        expect({ params, variables }).toEqual({ params: { p: readable(text) }, variables: {} })
        expect(users).toHaveLength(1)
        expect(users[0].params).toEqual({ first: readable(text), second: '1' })
        expect(users[0].variables).toEqual({ [readable(`x_${name}`)]: readable(text) })
      }),
      fixed(1000),
    )
  })
})

const recordedFile = (file: string) =>
  readFileSync(new URL(`../../fixtures/freeswitch/xml-curl/${file}`, import.meta.url), 'utf8')

/** The body of a recorded request. */
function requestOf(name: string): string {
  const file = name.endsWith('.http') ? name : `${name}-1.http`
  return recordedFile(file).split('\r\n\r\n')[1] ?? ''
}

/** Pieces that mean something to the preprocessor, alone, twice and inside of other text. */
const directive = fc
  .array(
    fc.constantFrom(
      '<?',
      '?>',
      '<include>',
      '</include>',
      'X-PRE-PROCESS',
      'x-pre-proCESS',
      '<X-PRE-PROCESS cmd="exec" data="id"/>',
      '<!--#',
      '<!--#exec id-->',
      '-->',
      '$${domain}',
      '$$${',
      '$',
      '{',
      '\r',
      '\n',
      'a',
      ' ',
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((pieces) => pieces.join(''))

/** Returns an XML parser's view of a value: control characters that XML cannot express are left out. */
function readable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is left out
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
}
