import { beforeEach, describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import {
  type OfferedVoicemail,
  type VoicemailState,
  mailVoicemail,
  maxAudioBytes,
} from '../../../core/voicemail/mail-voicemail.ts'
import { readVoicemailMessage } from '../../../core/voicemail/voicemail-message.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, anAccount, emailSettingsOf } from '../../support/records/records.ts'

const audio = Buffer.from('sound')
const quarter = 15 * 60_000
let time: ManualTime
let ports: MemoryPorts

/** A line as an engine of the kit lists it. */
const lineOf = (given: { created?: number; name?: string; number?: string; file?: string; domain?: string } = {}) => {
  const { created = time.clock.now() / 1000, name = 'Alice', number = '1000' } = given
  const { file = 'msg_9f1c.wav', domain = 'a.example.com' } = given
  return `${created}:0:1001:${domain}:inbox:/var/voicemail/${domain}/1001/${file}:5b1e-77:${name}:${number}:12`
}

beforeEach(async () => {
  time = manualTime()
  ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ createdAt: 0 }))
  const { options } = emailSettingsOf()
  await ports.emailSettings.put(emailSettingsOf({ options: { ...options, auth: undefined } }))
})

/** Makes the owner of the mailbox 1001, with parameters. */
const owner = async (parameters: Readonly<Record<string, string>> = {}, createdAt = 0) =>
  ports.accounts.create(anAccount({ login: '1001', parameters, variables: {}, createdAt }), 10)

async function offer(line = lineOf(), given: Partial<OfferedVoicemail> = { audio }): Promise<VoicemailState> {
  const message = readVoicemailMessage(line)
  if (message === undefined) throw new Error(`the line cannot be read: ${line}`)
  const deps = { ...ports, clock: time.clock, random: systemRandomness, graceMs: 120_000 }
  return mailVoicemail(deps, { message, size: audio.length, ...given })
}

const sent = () => ports.mail.sent.map(({ mail }) => mail)
const fails = (reason = '550 no such user') => {
  ports.mail.answer = () => ({ outcome: 'failed', reason })
}
const works = () => {
  ports.mail.answer = () => ({ outcome: 'sent', reply: '250 OK' })
}

describe('a message of a mailbox', () => {
  it('a message is mailed with its audio, which the engine is asked for first', async () => {
    await owner({ 'vm-mailto': 'alice@b.example.com' })

    expect(await offer(lineOf(), {})).toBe('audio')
    expect(sent()).toEqual([])
    expect(await offer()).toBe('done')

    expect(sent()).toMatchObject([
      {
        from: 'pbx@a.example.com',
        to: 'alice@b.example.com',
        subject: 'Voicemail for 1001 from Alice, 1000',
        text: expect.stringContaining('Time: Thursday, 15 January 2026 at 12:00:00 UTC\nLength: 12 s'),
        attachment: { name: 'voicemail-20260115T120000Z.wav', type: 'audio/wav', bytes: audio },
      },
    ])
  })

  it('a message that is offered again is not mailed again', async () => {
    await owner({ 'vm-mailto': 'alice@b.example.com' })

    const states = [await offer(), await offer(), await offer(lineOf(), {})]

    expect(states).toEqual(['done', 'done', 'done'])
    expect(sent()).toHaveLength(1)
  })

  it('two offers at one time send one mail', async () => {
    await owner({ 'vm-mailto': 'alice@b.example.com' })

    const states = await Promise.all([offer(), offer()])

    expect(states.toSorted()).toEqual(['done', 'later'])
    expect(sent()).toHaveLength(1)
  })

  it('two messages are two mails, also when one caller left both', async () => {
    await owner({ 'vm-mailto': 'alice@b.example.com' })

    await offer()
    await offer(lineOf({ file: 'msg_9f1d.wav' }))

    expect(sent()).toHaveLength(2)
  })

  it('a mailbox without an address, and a domain without mail settings, send nothing and keep their messages', async () => {
    await owner({ 'vm-keep-local-after-email': 'false' })
    expect(await offer()).toBe('done')

    await ports.emailSettings.remove('a.example.com')
    await ports.accounts.remove(anAccount({ login: '1001' }))
    await owner({ 'vm-mailto': 'alice@b.example.com', 'vm-keep-local-after-email': 'false' })
    expect(await offer()).toBe('done')

    expect(sent()).toEqual([])
  })

  it('a message that is older than its account is not mailed', async () => {
    await owner({ 'vm-mailto': 'alice@b.example.com' }, time.clock.now())

    expect(await offer(lineOf({ created: time.clock.now() / 1000 - 61 }))).toBe('done')
    expect(await offer(lineOf({ domain: 'b.example.com' }))).toBe('done')

    expect(sent()).toEqual([])
  })

  it('a message whose line ends within the name of its caller is mailed without a number and a length', async () => {
    await owner({ 'vm-mailto': 'alice@b.example.com' })

    await offer(lineOf().replace(/ice:.*/, ''))

    expect(sent()[0]).toMatchObject({ subject: 'Voicemail for 1001 from Al', attachment: { bytes: audio } })
    expect(sent()[0]?.text).not.toContain('Length')
  })

  it('mails show the time in the account’s time zone', async () => {
    await ports.accounts.create(
      anAccount({ login: '1001', parameters: { 'vm-mailto': 'a@b.example.com' }, createdAt: 0 }),
      10,
    )

    await offer()

    expect(sent()[0]?.text).toContain('Time: Thursday, 15 January 2026 at 14:00:00 EET')
  })

  it.each([
    ['Bob\r\nBcc: eve@c.example.com', '1000', 'BobBcc evec.example.com, 1000'],
    ['<b>Bob</b> "the" ${system(id)}', "10'00", 'bBobb the system(id), 1000'],
    ['a:b:c', '+44 20', 'abc, +44 20'],
    ['Zoë 李', 'anonymous', 'Zoë 李, anonymous'],
    ['', '', 'an unknown caller'],
    ['1000', '1000', '1000'],
    ['x'.repeat(300), '1000', `${'x'.repeat(64)}, 1000`],
  ])('a caller who says %j and %j is shown as %j', async (name, number, shown) => {
    await owner({ 'vm-mailto': 'alice@b.example.com' })

    await offer(lineOf({ name, number }))

    const [mail] = sent()
    expect(mail?.subject).toBe(`Voicemail for 1001 from ${shown}`)
    expect(mail?.text.split('\n')[2]).toBe(`Caller: ${shown}`)
  })
})

describe('the parameters of a mailbox', () => {
  const message = { 'vm-mailto': 'alice@b.example.com' }
  const both = { ...message, 'vm-notify-mailto': 'bob@b.example.com' }
  it.each([
    ['vm-attach-file=false leaves the audio out', { ...message, 'vm-attach-file': 'false' }, ['alice']],
    ['vm-email-all-messages=false sends no message', { ...message, 'vm-email-all-messages': 'false' }, []],
    ['vm-notify-mailto gets a mail without the audio', both, ['alice+audio', 'bob']],
    [
      'vm-notify-email-all-messages=false sends no notice',
      { ...both, 'vm-notify-email-all-messages': 'false' },
      ['alice+audio'],
    ],
    [
      'vm-notify-email-all-messages=true sends a notice instead of a message to the only address',
      { ...message, 'vm-email-all-messages': 'false', 'vm-notify-email-all-messages': 'true' },
      ['alice'],
    ],
    [
      'one address gets one mail',
      { ...message, 'vm-notify-mailto': 'alice@b.example.com', 'vm-notify-email-all-messages': 'true' },
      ['alice+audio'],
    ],
    ['an address that is no longer allowed gets nothing', { 'vm-mailto': 'alice@b.example.com,eve@c.example.com' }, []],
  ])('%s', async (_title, parameters, mails) => {
    await owner(parameters)

    expect(await offer()).toBe('done')

    expect(sent().map(({ to, attachment }) => `${to.split('@')[0]}${attachment ? '+audio' : ''}`)).toEqual(mails)
  })

  it('parameters of the domain hold for accounts without their own', async () => {
    const domain = await ports.domains.read('a.example.com')
    if (domain === undefined) throw new Error('the domain is missing')
    ports.state.domains.set(domain.name, {
      ...domain,
      parameters: { 'vm-mailto': 'office@b.example.com', 'vm-attach-file': 'false' },
    })
    await owner({ 'vm-attach-file': 'true' })

    await offer()

    expect(sent()).toMatchObject([{ to: 'office@b.example.com', attachment: { bytes: audio } }])
  })

  it('the engine may delete a message that was mailed with its audio, and no other', async () => {
    const parameters = { ...message, 'vm-keep-local-after-email': 'false' }
    await owner(parameters)

    expect(await offer()).toBe('delete')
    expect(await offer()).toBe('delete')
    expect(await offer(lineOf({ file: 'msg_long.wav' }), { size: maxAudioBytes + 1 })).toBe('done')

    await ports.accounts.remove(anAccount({ login: '1001' }))
    await owner({ ...parameters, 'vm-attach-file': 'false' })
    expect(await offer(lineOf({ file: 'msg_other.wav' }))).toBe('done')
  })

  it('a message that is too long for a mail is mailed without its audio, and the mail says so', async () => {
    await owner(message)

    expect(await offer(lineOf(), { size: maxAudioBytes + 1 })).toBe('done')

    expect(sent()).toMatchObject([{ text: expect.stringContaining('too long for a mail') }])
    expect(sent()[0]?.attachment).toBeUndefined()
  })
})

describe('a mail that fails', () => {
  beforeEach(() => owner({ 'vm-mailto': 'alice@b.example.com', 'vm-keep-local-after-email': 'false' }))

  it('a mail that fails is tried again a quarter of an hour later, and sent once', async () => {
    fails()
    const states = [await offer(), await offer()]
    expect(sent()).toHaveLength(1)
    works()
    await time.advance(quarter)
    states.push(await offer(lineOf({ created: 1_768_478_400 }), {}), await offer(lineOf({ created: 1_768_478_400 })))

    expect(states).toEqual(['later', 'later', 'audio', 'delete'])
    expect(sent()).toHaveLength(2)
  })

  it('a mail that fails for half a day is reported once, and its message stays', async () => {
    const line = lineOf()
    fails()
    const states = new Set<VoicemailState>()
    for (let tries = 0; tries < 60; tries += 1) {
      states.add(await offer(line))
      await time.advance(quarter)
    }

    expect([...states]).toEqual(['later', 'done'])
    expect(sent()).toHaveLength(50)
    expect(ports.events.published).toMatchObject([
      {
        name: 'CUSTOM->svc::voicemail_mail_failed',
        domain: 'a.example.com',
        fields: { 'User-ID': '1001', 'Mail-To': 'alice@b.example.com', Reason: '550 no such user' },
      },
    ])
  })

  it('a mail whose run died is not sent again: it is reported, and its message stays', async () => {
    ports.mail.send = () => Promise.reject(new Error('the process ends'))
    await expect(offer()).rejects.toThrow('the process ends')
    const line = lineOf()

    expect(await offer(line)).toBe('later')
    await time.advance(60_001)
    expect([await offer(line), await offer(line)]).toEqual(['done', 'done'])
    expect(ports.events.published).toMatchObject([{ fields: { Reason: 'the outcome is not known' } }])
  })

  it('a failed notice does not repeat the message', async () => {
    await ports.accounts.remove(anAccount({ login: '1001' }))
    await owner({ 'vm-mailto': 'alice@b.example.com', 'vm-notify-mailto': 'bob@b.example.com' })
    ports.mail.answer = ({ to }) =>
      to.startsWith('bob') ? { outcome: 'failed', reason: 'no' } : { outcome: 'sent', reply: '250 OK' }

    expect(await offer()).toBe('later')
    await time.advance(quarter)
    works()
    expect(await offer(lineOf({ created: 1_768_478_400 }), {})).toBe('done')

    expect(sent().map(({ to }) => to)).toEqual(['alice@b.example.com', 'bob@b.example.com', 'bob@b.example.com'])
  })

  it('a domain sends a hundred mails an hour, and the rest later', async () => {
    const states: VoicemailState[] = []
    for (let index = 0; index < 101; index += 1) states.push(await offer(lineOf({ file: `msg_${index}.wav` })))

    expect(states.filter((state) => state === 'delete')).toHaveLength(100)
    expect(states.at(-1)).toBe('later')
    await time.advance(3_600_000)
    expect(await offer(lineOf({ created: 1_768_478_400, file: 'msg_100.wav' }))).toBe('delete')
  })
})

it.each([
  '',
  'nonsense',
  '1:0:1001:a.example.com:inbox:/x/a.example.com/1001/other.wav:u:n:1:1',
  '1:0:1001:a.example.com:inbox:/x/msg_$(id).wav:u:n:1:1',
  'x:0:1001:a.example.com:inbox:/x/msg_1.wav:u:n:1:1',
])('the text %j is no message of a mailbox', (line) => {
  expect(readVoicemailMessage(line)).toBeUndefined()
})
