import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { handler } from '../../../functions/engine/take-voicemail.ts'
import { planted } from '../../support/invariants/secret-forms.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { runCommand } from '../../support/platform/command.ts'
import { type FunctionServer, openFunctionServer } from '../../support/platform/function-server.ts'
import { emailSettingsOf } from '../../support/records/records.ts'

const domain = 'a.example.com'
const file = 'msg_9f1c.wav'

let api: Api
let folder: string
let platform: FunctionServer
let statuses: number[]
/** The status with which the platform answers instead of asking its function. */
let refusal: number | undefined

beforeEach(async () => {
  api = anApi()
  refusal = undefined
  statuses = []
  folder = mkdtempSync(join(tmpdir(), 'callplane-voicemail-'))
  mkdirSync(join(folder, domain, '1001'), { recursive: true })
  // In place of fs_cli: it keeps its arguments and its settings, and answers each list with the file `list`.
  writeFileSync(
    join(folder, 'fs_cli'),
    `#!/bin/sh\necho "$@" >>${folder}/asked\ncat "$HOME/.fs_cli_conf" >${folder}/settings\ncase "$*" in *vm_list*) cat ${folder}/list ;; esac\n`,
  )
  chmodSync(join(folder, 'fs_cli'), 0o755)
  const { options } = emailSettingsOf()
  await api.account({ login: '1001', parameters: { 'vm-mailto': 'alice@b.example.com' } })
  await api.ports.emailSettings.put(emailSettingsOf({ domain, options: { ...options, auth: undefined } }))
  platform = await openFunctionServer(async (request) => {
    const { status, text } = await api.call(handler, request)
    statuses.push(refusal ?? status)
    return { status: refusal ?? status, text }
  })
})
afterEach(async () => {
  await platform.close()
  rmSync(folder, { recursive: true, force: true })
})

const box = () => join(folder, domain, '1001')
const lineOf = (name: string, uuid = '5b1e-77') =>
  `${Math.floor(Date.now() / 1000)}:0:1001:${domain}:inbox:${box()}/${name}:${uuid}:Alice: & "Bob":1000:12`
const leave = (...names: string[]) => {
  for (const name of names) writeFileSync(join(box(), name), 'sound')
  // fs_cli ends what it prints with an empty line.
  writeFileSync(join(folder, 'list'), `${names.map((name) => lineOf(name)).join('\n')}\n\n`)
}
const marks = () => readdirSync(join(folder, '.mailed'))
const asked = () => readFileSync(join(folder, 'asked'), 'utf8')
const sent = () => api.ports.mail.sent.map(({ mail }) => mail)

/** Offers messages of any age; an empty `least` is the script's own least age. */
async function send(credential = api.ports.secrets.engine, least = '-1') {
  const config = join(folder, 'credential')
  writeFileSync(config, `user = "engine:${credential}"\n`, { mode: 0o600 })
  const url = `http://${platform.address}/engine/voicemail`
  const env = {
    ...process.env,
    FS_CLI_BIN: join(folder, 'fs_cli'),
    EVENT_SOCKET_PASSWORD: planted('socket'),
    SEND_VOICEMAILS_MIN_AGE_MINUTES: least,
  }
  return runCommand('sh', ['engine/bin/send-voicemails', folder, url, config], { cwd: process.cwd(), env })
}

test('a message is mailed once by many runs, and stays in its mailbox', async () => {
  leave(file)

  const runs = [await send(), await send(), await send()]

  expect(new Set(runs.map(({ status, output }) => `${status}${output}`))).toEqual(new Set(['0']))
  expect(sent()).toMatchObject([
    {
      to: 'alice@b.example.com',
      subject: 'Voicemail for 1001 from Alice & Bob, 1000',
      attachment: { type: 'audio/wav' },
    },
  ])
  expect(Buffer.from(sent()[0]?.attachment?.bytes ?? []).toString()).toBe('sound')
  expect([readdirSync(box()), marks()]).toEqual([[file], [file]])
})

test.each([
  ['a line end', 'Al\nice'],
  ['line ends, a colon and other control characters', 'Al\n\nice:\r\u0007'],
  ['a line end and 3000 letters', `\n${'x'.repeat(3_000)}`],
])('a message whose caller has a name with %s is mailed with the number and the length', async (_what, name) => {
  leave('msg_1.wav', 'msg_2.wav', 'msg_3.wav')
  const list = readFileSync(join(folder, 'list'), 'utf8')
  writeFileSync(join(folder, 'list'), list.replaceAll('Alice: & "Bob"', name))

  await send()

  expect(sent().map(({ subject }) => subject)).toEqual(Array(3).fill(expect.stringMatching(/, 1000$/)))
  expect(sent()[1]?.text).toContain('Length: 12 s')
  expect(marks()).toHaveLength(3)
})

test('a message is mailed once, also when the answer to its first offer is lost', async () => {
  leave(file)
  refusal = 503
  const lost = await send()
  refusal = undefined

  const next = await send()

  expect([lost.status, lost.output]).toEqual([1, expect.stringContaining('answered 503')])
  expect([next, sent().length, marks()]).toEqual([{ status: 0, output: '' }, 1, [file]])
})

test('a message that its owner does not keep is removed by the engine after its mail', async () => {
  const owner = await api.ports.accounts.read(domain, '1001')
  if (owner === undefined) throw new Error('the account is missing')
  const parameters = { ...owner.parameters, 'vm-keep-local-after-email': 'false' }
  await api.ports.accounts.update({ ...owner, parameters, version: owner.version + 1 }, owner)
  leave(file)

  expect(await send()).toEqual({ status: 0, output: '' })

  expect(sent()).toHaveLength(1)
  expect(
    asked()
      .split('\n')
      .map((line) => line.split(' -x ')[1]),
  ).toEqual([
    `vm_list 1001@${domain}`,
    `vm_fsdb_msg_delete default ${domain} 1001 5b1e-77`,
    `vm_fsdb_msg_purge default ${domain} 1001`,
    undefined,
  ])
})

test('two messages of one uuid are both mailed, and neither is removed', async () => {
  const owner = await api.ports.accounts.read(domain, '1001')
  if (owner === undefined) throw new Error('the account is missing')
  const parameters = { ...owner.parameters, 'vm-keep-local-after-email': 'false' }
  await api.ports.accounts.update({ ...owner, parameters, version: owner.version + 1 }, owner)
  leave(file, 'msg_9f1d.wav')

  await send()

  expect([sent().length, marks()]).toEqual([2, [file, 'msg_9f1d.wav']])
  expect(asked()).not.toContain('delete')
})

test('a message whose caller is still recording is not offered', async () => {
  leave(file)
  writeFileSync(join(folder, 'list'), '\n')

  expect(await send()).toEqual({ status: 0, output: '' })

  expect([statuses, marks()]).toEqual([[], []])
})

test('messages of the last minute, which may still be written, and messages older than a week are not offered', async () => {
  const ages = { 'msg_new.wav': 0, 'msg_done.wav': 3, 'msg_old.wav': 6 * 24 * 60, 'msg_ancient.wav': 8 * 24 * 60 }
  leave(...Object.keys(ages))
  for (const [name, minutes] of Object.entries(ages)) {
    const at = Date.now() / 1_000 - minutes * 60
    utimesSync(join(box(), name), at, at)
  }

  await send(undefined, '')

  expect(marks().toSorted()).toEqual(['msg_done.wav', 'msg_old.wav'])
})

test('messages stay while the platform refuses the credential, and one that it cannot read keeps no other waiting', async () => {
  leave(file, 'msg_other.wav')
  const refused = await send('wrong')
  writeFileSync(join(folder, 'list'), `${lineOf(file).replace('inbox', 'in:box')}\n${lineOf('msg_other.wav')}\n`)

  const next = await send()

  expect([refused.status, refused.output]).toEqual([1, expect.stringContaining('answered 401')])
  expect([next.status, next.output]).toEqual([1, expect.stringContaining(`answered 400 for ${box()}/${file}`)])
  expect([statuses, marks()]).toEqual([[401, 400, 200, 200], ['msg_other.wav']])
})

test('the password of the event socket is in no argument, and its file is gone after the run', async () => {
  leave(file)

  await send()

  expect(readFileSync(join(folder, 'settings'), 'utf8')).toBe(
    `[default]\nhost => 127.0.0.1\nport => 8021\npassword => ${planted('socket')}\n`,
  )
  expect(asked()).not.toContain(planted('socket'))
  expect(existsSync(join(folder, '.fs_cli_conf'))).toBe(false)
})
