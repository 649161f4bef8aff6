/**
 * Mailboxes at a real engine of the kit: what callers and owners hear, lamps and mails. Skipped without
 * `FREESWITCH_BIN`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { toneFile } from '../../packages/simulated-freeswitch/calls/wav.ts'
import { createTaken } from '../support/engine/gateway-taken.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { type KitHarness, aGatewayHarness, aKitHarness } from '../support/engine/kit-harness.ts'
import type { SoundPhone } from '../support/engine/sound-phone.ts'
import { type RunningMailServer, startMailServer } from '../support/hooks/mail-server.ts'
import { planted } from '../support/invariants/secret-forms.ts'
import { runCommand } from '../support/platform/command.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const within = { timeout: 60_000, interval: 200 }

/** The tones of the kit (engine/conf/mailbox-tones.xml), and the beep of a recording. */
const tone = { greets: 784, asks: 540, refuses: 220, new: 880, none: 294, agrees: 988, ends: 523, beep: 640 }
/** What a caller and an owner sing, and the tone of a prompt. */
const [message, greeting, prompt] = [1_300, 1_700, 2_100]

/** The mailbox of each account is reached by `*97` and its login, for its owner, and by `*98` for callers. */
async function aTenant(harness: KitHarness): Promise<Client> {
  const admin = await harness.platform.tenant(acme)
  for (const [prefix, check] of [
    ['\\*97', true],
    ['\\*98', false],
  ] as const) {
    const callflow = [{ answer: '' }, { voicemail: { user: '$1', check } }]
    const route = { destination_number: `${prefix}(\\d+)`, name: `mailboxes ${check}`, callflow }
    await admin.call('createDefaultRoute', { body: route })
  }
  return admin
}

const change = (admin: Client, login: string, parameters: readonly string[]) =>
  admin.call('updateAccount', { params: { account_id: login }, body: { parameters: [...parameters] } })

const messagesOf = (harness: KitHarness, login: string) =>
  harness.engine.api(`vm_boxcount default/${login}@${acme}|all`)

/** Leaves a message of two seconds. */
async function leave(caller: SoundPhone, number: string): Promise<void> {
  const call = await caller.call(number)
  await call.hear(5, tone.greets)
  await call.hear(5, tone.beep)
  call.sing(message)
  await call.listen(150)
  await call.hangUp()
}

const lampOf = (phone: SoundPhone) => phone.notified.map(({ body }) => /Messages-Waiting: (\w+)/.exec(body)?.[1]).at(-1)

describe.skipIf(freeswitchBin === undefined)('at a mailbox of the kit', () => {
  const harness = opened(() => aKitHarness({ sharesRecordings: false }))
  let admin: Client
  let caller: SoundPhone
  let owner: SoundPhone

  beforeAll(async () => {
    admin = await aTenant(harness())
    await change(admin, '1002', ['vm-enabled=true', 'vm-password=4711'])
    const body = { variables: ['default_language=uk'] }
    await admin.call('updateAccount', { params: { account_id: '1001' }, body })
    caller = await harness().soundPhone('1001', acme)
    owner = await harness().soundPhone('1002', acme, { isBusy: true })
    for (const phone of [caller, owner]) expect(await phone.register()).toBe(200)
  })

  const count = (login = '1002') => messagesOf(harness(), login)

  it('a caller of a busy account hears the greeting in any language, and leaves a message that lights the lamp of the phone', async () => {
    await leave(caller, '1002')

    await expect.poll(() => count(), within).toBe('1:0:0:0')
    await expect.poll(() => lampOf(owner), within).toBe('yes')
    expect(owner.notified.at(-1)?.body).toMatch(/Message-Account: sip:1002@acme.example.com\r\n.*Voice-Message: 1\/0/s)
  })

  it('the owner opens the mailbox with the PIN, hears the message, and deletes it, which puts out the lamp', async () => {
    const call = await owner.call('*971002')

    await call.hear(5, tone.asks)
    await call.press('4711#')
    await call.hear(5, tone.new)
    await call.hear(25, message)
    await call.hear(5, tone.asks)
    await call.press('7')
    await call.hear(5, tone.agrees)
    await call.hear(5, tone.none)
    await call.hangUp()

    await expect.poll(() => count(), within).toBe('0:0:0:0')
    await expect.poll(() => lampOf(owner), within).toBe('no')
  })

  it('the erasure of an account removes the messages that it has left, and none of others', async () => {
    const other = await harness().soundPhone('1000', acme)
    expect(await other.register()).toBe(200)
    for (const phone of [other, caller]) await leave(phone, '1002')
    await expect.poll(() => count(), within).toBe('2:0:0:0')

    const { data } = await admin.call('beginErasure', { body: { account: '1001' } })
    const erasure = async () => (await admin.call('readErasure', { params: { job_id: data.jobId } })).data

    await expect.poll(async () => (await erasure()).state, within).toBe('done')
    expect(await count()).toBe('1:0:0:0')
    expect((await erasure()).counts).toMatchObject({ voicemails: 1 })
    expect(await harness().engine.api(`vm_list 1002@${acme}`)).toMatch(/:1000:\d+\s*$/)
    await harness().engine.api(`vm_delete 1002@${acme}`)
  })

  it('a wrong PIN opens no mailbox, and the third one ends the call', async () => {
    const call = await caller.call('*971002')

    for (const pin of ['1234#', '4712#', '47110#']) {
      await call.hear(5, tone.asks)
      await call.press(pin)
      await call.hear(5, tone.refuses)
    }
    await call.hear(5, tone.ends)
    await call.ended
  })

  it('a mailbox without a PIN takes messages and cannot be opened, not even with the digits of the password', async () => {
    const account = { login: '1003', role: 'user', password: '47114711' }
    await admin.call('createAccount', { body: account })
    await leave(caller, '*981003')
    await expect.poll(() => count('1003'), within).toBe('1:0:0:0')

    const call = await caller.call('*971003')

    for (const pin of ['47114711#', '1003#', '#']) {
      await call.hear(5, tone.asks)
      await call.press(pin)
      if (pin !== '#') await call.hear(5, tone.refuses)
    }
    await call.hear(5, tone.ends)
    await call.ended
    expect(await count('1003')).toBe('1:0:0:0')
  })

  it('a deleted account leaves no message to a later account of its login', async () => {
    await admin.call('deleteAccount', { params: { account_id: '1003' } })

    await expect.poll(() => count('1003'), within).toBe('0:0:0:0')
  })

  it('the owner records a greeting, and callers hear it', async () => {
    const call = await owner.call('*971002')
    await call.hear(5, tone.asks)
    await call.press('4711#')
    await call.hear(5, tone.none)
    await call.hear(5, tone.asks)
    await call.press('5')
    await call.hear(5, tone.asks)
    await call.press('1')
    await call.hear(5, tone.asks)
    await call.press('1')
    await call.hear(5, tone.beep)
    call.sing(greeting)
    await call.listen(150)
    call.sing()
    await call.press('#')
    await call.hear(5, tone.asks)
    await call.press('2')
    await call.hear(5, tone.agrees)
    await call.hangUp()

    const next = await caller.call('1002')

    await next.hear(25, greeting)
    await next.hear(5, tone.beep)
    await next.hangUp()
  })

  it('a mailbox that is switched off ends the call, and one that the domain switched on takes a message', async () => {
    const isGreeted = async (number: string) => {
      const call = await caller.call(number)
      const greeted = call.hear(5, tone.greets).then(() => true)
      const is = await Promise.race([greeted, call.ended.then(() => false)])
      await call.hangUp()
      return is
    }
    await change(admin, '1000', ['vm-enabled=false'])
    expect(await isGreeted('*981000')).toBe(false)
    await change(admin, '1000', ['vm-enabled='])
    const params = { domain_name: acme }
    await admin.call('updateDomainParameters', { params, body: ['vm-enabled=true'] })

    // What a domain's calls are decided by may be a second old, and engines forget accounts soon after the answer.
    await expect.poll(() => isGreeted('1000'), within).toBe(true)
  })

  it('the log of the engine has no error after all this', () => {
    expect(harness().errors()).toEqual([])
  })
})

describe.skipIf(freeswitchBin === undefined)('the mails of a mailbox of the kit', () => {
  const harness = opened(() => aGatewayHarness())
  let server: RunningMailServer
  let admin: Client
  let caller: SoundPhone
  let owner: SoundPhone

  beforeAll(async () => {
    server = await startMailServer()
    admin = await aTenant(harness())
    const mails = ['vm-enabled=true', 'vm-mailto=alice@b.example.com']
    await change(admin, '1002', mails)
    const options = { host: '127.0.0.1', port: server.port, secure: false, tls: { rejectUnauthorized: false } }
    await admin.call('createEmailSettings', { body: { provider: 'smtp', from: 'pbx@acme.example.com', options } })
    caller = await harness().soundPhone('1001', acme)
    owner = await harness().soundPhone('1002', acme, { isBusy: true })
    for (const phone of [caller, owner]) expect(await phone.register()).toBe(200)
  })
  afterAll(() => server.close())

  const send = async () => {
    const { place, platformUrl } = harness()
    const config = join(place.folder, 'credential')
    writeFileSync(config, `user = "engine:${planted('credential')}"\n`, { mode: 0o600 })
    const env = {
      ...process.env,
      FS_CLI_BIN: join(dirname(freeswitchBin ?? ''), 'fs_cli'),
      EVENT_SOCKET_PORT: String(place.socketPort),
      EVENT_SOCKET_PASSWORD: 'ClueCon',
      SEND_VOICEMAILS_MIN_AGE_MINUTES: '-1',
    }
    const words = [place.mailboxes, `${platformUrl}/engine/voicemail`, config]
    return runCommand('sh', ['engine/bin/send-voicemails', ...words], { cwd: process.cwd(), env })
  }

  it('a message is mailed once with its sound, however often the script runs, and stays in the mailbox', async () => {
    await leave(caller, '1002')
    await expect.poll(() => messagesOf(harness(), '1002'), within).toBe('1:0:0:0')

    await harness().platform.stop()
    const away = await send()
    harness().platform = await harness().startPlatform()
    const runs = await Promise.all([send(), send()])
    runs.push(await send())

    expect([away.status, away.output]).toEqual([1, expect.stringContaining('answered 000')])
    expect(runs.map(({ output }) => output)).toEqual(['', '', ''])
    expect(server.received).toHaveLength(1)
    const [mail] = server.received
    expect(mail).toMatchObject({ from: 'pbx@acme.example.com', to: ['alice@b.example.com'], secure: true })
    expect(mail?.source).toMatch(/^Subject: Voicemail for 1002 from 1001\r$/m)
    const [, encoded = ''] = /Content-Type: audio\/wav[^]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(mail?.source ?? '') ?? []
    const sound = Buffer.from(encoded, 'base64')
    expect(sound.toString('latin1', 0, 4)).toBe('RIFF')
    // A busy machine makes it shorter than what the caller sang; most of it is loud all the same.
    const samples = Array.from({ length: Math.floor(sound.length / 2) - 22 }, (_, at) => sound.readInt16LE(44 + 2 * at))
    expect(samples.length).toBeGreaterThan(8_000)
    expect(samples.filter((one) => one > 4_000).length).toBeGreaterThan(samples.length / 16)
    expect(await messagesOf(harness(), '1002')).toBe('1:0:0:0')
  })

  it('a message that its owner does not keep leaves the mailbox after its mail, and the lamp goes out', async () => {
    await change(admin, '1002', ['vm-keep-local-after-email=false'])
    await leave(caller, '1002')
    await expect.poll(() => messagesOf(harness(), '1002'), within).toBe('2:0:0:0')

    expect(await send()).toEqual({ status: 0, output: '' })

    expect(server.received).toHaveLength(2)
    expect(await messagesOf(harness(), '1002')).toBe('1:0:0:0')
    expect(owner.notified.at(-1)?.body).toContain('Voice-Message: 1/0')
  })

  it('a message whose caller has a line end in the name is mailed with the number and the length', async () => {
    const networks = ['127.0.0.11/32']
    await createTaken(
      { engine: harness().engine, client: admin, domain: acme },
      { name: 'trunk', realm: 'provider.example.com', register: false, networks },
    )
    const callflow = [{ answer: '' }, { voicemail: { user: '1002' } }]
    await admin.call('createPublicRoute', { body: { destination_number: '98', callflow } })
    const party = { port: harness().gatewayPort, ip: '127.0.0.11', display: 'Al%0Aice' }
    await leave(await harness().soundPhone('380671112233', '127.0.0.1', party), '98')
    await expect.poll(() => messagesOf(harness(), '1002'), within).toBe('2:0:0:0')
    expect(await harness().engine.api(`vm_list 1002@${acme}`)).toMatch(/:Al\nice:380671112233:\d+$/m)

    expect(await send()).toEqual({ status: 0, output: '' })

    expect(server.received.at(-1)?.source).toMatch(/^Subject: Voicemail for 1002 from Al ice, 380671112233\r$/m)
    expect(await messagesOf(harness(), '1002')).toBe('1:0:0:0')
  })

  it('a domain without mail settings mails nothing, and its messages stay', async () => {
    await admin.call('deleteEmailSettings')
    await leave(caller, '1002')
    await expect.poll(() => messagesOf(harness(), '1002'), within).toBe('2:0:0:0')

    expect(await send()).toEqual({ status: 0, output: '' })

    expect(server.received).toHaveLength(3)
    expect(await messagesOf(harness(), '1002')).toBe('2:0:0:0')
  })
})

describe.skipIf(freeswitchBin === undefined)('a mailbox of the kit with spoken prompts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-prompts-'))
  writePrompts(folder)
  const harness = opened(() => aKitHarness({ settings: { PROMPTS_FOLDER: folder }, sharesRecordings: false }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('callers and owners hear the prompts instead of the tones', async () => {
    const admin = await aTenant(harness())
    await change(admin, '1002', ['vm-enabled=true', 'vm-password=4711'])
    const caller = await harness().soundPhone('1001', acme)
    expect(await caller.register()).toBe(200)

    const call = await caller.call('*981002')
    await call.hear(50, prompt)
    await call.hear(5, tone.beep)
    call.sing(message)
    await call.listen(150)
    await call.hangUp()
    await expect.poll(() => messagesOf(harness(), '1002'), within).toBe('1:0:0:0')
    const check = await caller.call('*971002')
    await check.hear(10, prompt)
    await check.press('4711#')
    // The number of the messages, the message with its date, and the keys.
    await check.hear(50, prompt)
    await check.hear(25, message)
    await check.hear(50, prompt)
    await check.press('7')
    await check.hear(25, prompt)
    await check.hangUp()

    expect(harness().errors()).toEqual([])
  })
})

/** In place of a sound package: a tone under every name that the phrases, and the module that says numbers, play. */
function writePrompts(folder: string): void {
  const phrases = readFileSync('engine/conf/mailbox-prompts.xml', 'utf8')
  const words = ['new', 'saved', 'deleted', 'marked-urgent', 'urgent-new']
  const named = [...phrases.matchAll(/vm-([a-z0-9_-]+)\.wav|data="(\w[\w-]*) \$/g)].map(([, a, b]) => a ?? b ?? '')
  const upTo = (count: number, prefix = '') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  const names: Readonly<Record<string, readonly string[]>> = {
    voicemail: [...named, ...words].map((name) => `vm-${name}`),
    digits: [...upTo(100), ...upTo(32, 'h-')],
    ascii: upTo(128),
    time: ['today', 'yesterday', 'at', 'oh', 'oclock', 'a-m', 'p-m', ...upTo(7, 'day-'), ...upTo(12, 'mon-')],
  }
  for (const [kind, files] of Object.entries(names)) {
    mkdirSync(join(folder, kind, '8000'), { recursive: true })
    for (const name of files) writeFileSync(join(folder, kind, '8000', `${name}.wav`), toneFile(2_000, prompt))
  }
}
