import { Webhook } from 'standardwebhooks'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import type { ReceivedRequest } from '../../local/demo/receiver.ts'
import { type CliUser, aCliUser } from '../support/cli/cli.ts'
import { sink } from '../support/cli/event-sink.ts'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const domain = 'cli-listen.example.com'
const rig = opened(() => aPlatform())
let admin: Client
let user: CliUser

beforeAll(async () => {
  admin = await rig().tenant(domain)
  const action = { type: 'web' as const, method: 'POST', url: 'http://127.0.0.1:9/' }
  await admin.call('createHooks', { body: { event: 'DTMF', enable: false, action } })
  await rig().hooksInForce(admin, domain)
})

beforeEach(async () => {
  user = aCliUser()
  await user.signIn({ url: rig().url, user: `1000@${domain}`, password: tenantPassword('1000') })
})

afterEach(() => user.remove())

async function placeCall(): Promise<void> {
  const { info } = await admin.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
  await admin.call('hangUpChannel', { params: { channel_id: info.replace('+OK ', '').trim() } })
}

const sequenceOf = ({ headers }: ReceivedRequest) => Number(headers['webhook-sequence'])

type Listed = Awaited<ReturnType<typeof listedAfter>>

/** The events that the platform has after a number. */
async function listedAfter(since: number) {
  const listed: { readonly sequence: number; readonly name: string }[] = []
  for await (const event of admin.events({ query: { since: String(since), limit: 1000 } })) listed.push(event)
  return listed
}

const endedCalls = (listed: Listed) => listed.filter(({ name }) => name === 'CHANNEL_HANGUP_COMPLETE').length
const head = async () => (await admin.call('listEvents', { query: { since: '0', limit: 1 } })).data.head
const within = { timeout: 30_000, interval: 200 }

it('events are forwarded with the signature of a real delivery, and none is skipped after a restart', async () => {
  await using receiver = await sink()
  const begin = await head()
  const first = user.start(['listen', receiver.url, '--since', String(begin), '--show-secret'])
  await first.printed(/^whsec_\S+\n/)
  await placeCall()
  await first.printed('CHANNEL_HANGUP_COMPLETE')
  first.child.kill('SIGINT')
  const { status, stdout } = await first.ended()
  await placeCall()
  const second = user.start(['listen', receiver.url])
  await placeCall()

  await expect.poll(async () => endedCalls(await listedAfter(begin)), within).toBe(3)
  const listed = (await listedAfter(begin)).map(({ sequence }) => sequence)
  // An event that was under way when the first one ended is sent twice, under one id.
  const received = () => [...new Set(receiver.requests.map(sequenceOf))].slice(0, listed.length)
  await expect.poll(received, within).toEqual(listed)
  second.child.kill('SIGTERM')
  expect([status, (await second.ended()).status]).toEqual([130, 130])
  const secret = stdout.split('\n')[0] ?? ''
  const names = receiver.requests.map(({ headers, body }) => {
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    return (new Webhook(secret).verify(body, plain) as { action: string }).action
  })
  expect(names).toContain('CHANNEL_CREATE')
  const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))
  expect(ids.size).toBe(new Set(receiver.requests.map(sequenceOf)).size)
})

it('an event that the receiver refuses is sent again before any other, under the same id', async () => {
  await using receiver = await sink([500, 204])
  const chosen = ['--event', 'CHANNEL_ANSWER', '--event', 'CHANNEL_HANGUP_COMPLETE']
  const listening = user.start(['listen', receiver.url, '--since', String(await head()), '--json', ...chosen])
  await placeCall()

  await listening.printed('CHANNEL_HANGUP_COMPLETE')
  listening.child.kill('SIGINT')
  const { stdout, stderr } = await listening.ended()

  const [refused, taken] = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(refused).toBe(taken)
  expect(stderr).toMatch(/CHANNEL_ANSWER: answered 500; sent again in 1 s/)
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { name: string }).name)
  expect(names).toEqual(['CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE'])
})

it('a number that the domain has not reached is refused with the way out', async () => {
  const { status, stderr } = await user.run(['listen', 'http://127.0.0.1:9/', '--since', '999999'])

  expect(status).toBe(1)
  expect(stderr).toMatch(/begin again with --since 0/)
})
