import { startFauxqs } from 'fauxqs'
import { beforeAll, describe, expect, it } from 'vitest'
import { environment } from '../../contracts/environment.ts'
import type { Client } from '../../client/index.ts'
import type { Receiver } from '../../local/demo/receiver.ts'
import { startCloudGate } from '../support/stores/cloud-gate.ts'
import { opened } from '../support/processes/opened.ts'
import { aPlatform } from '../support/platform/platform.ts'

const domain = 'events.example.com'
const neighbour = 'events.example.com.au'

/** A platform whose event queue gives out every event twice. */
const rig = opened(async () => {
  const sqs = await startFauxqs({ port: 0, logger: false, defaultRegion: 'us-east-1' })
  const gate = await startCloudGate({ AmazonSQS: sqs.address })
  gate.answer = async ({ action, input }, forward) => {
    const { QueueUrl, Entries } = input
    if (action !== 'SendMessageBatch' || !String(QueueUrl).includes('Event') || !Array.isArray(Entries)) {
      return forward().catch(() => 'lost')
    }
    const again = Entries.map((entry) =>
      Object.assign({}, entry, { MessageDeduplicationId: `${entry.MessageDeduplicationId}-again` }),
    )
    const answer = await forward()
    await forward({ QueueUrl, Entries: again })
    return answer
  }
  const platform = await aPlatform({ SQS_ENDPOINT: gate.env[environment.sqsEndpoint] ?? '' })
  return {
    platform,
    close: async () => {
      // A poller of the queues would wait to the end of its poll.
      await gate.close()
      await platform.close()
      await sqs.stop()
    },
  }
})

let admin: Client
let stranger: Client
let receiver: Receiver

beforeAll(async () => {
  const { platform } = rig()
  admin = await platform.tenant(domain)
  stranger = await platform.tenant(neighbour)
  receiver = await platform.receiver()
  const event = 'CUSTOM->svc::user_create'
  await admin.call('createHooks', {
    query: { domain },
    body: { event, action: { type: 'web', method: 'POST', url: receiver.url } },
  })
  await platform.hooksInForce(admin, domain)
})

const list = async (client: Client, since = 0) =>
  (await client.call('listEvents', { query: { since: `${since}`, limit: 1000 } })).data

/** Makes an account and waits until the hook has received its event: earlier events are in the list by then. */
async function untilPublished(login: string) {
  await admin.call('createAccount', { query: { domain }, body: { login, role: 'user', password: 'long enough' } })
  return receiver.next('CUSTOM->svc::user_create')
}

/** A call from 1001 to 1002 that is held once it `isUp`, resumed and hung up. */
async function liveACall(client: Client, isUp: () => Promise<unknown> = async () => {}): Promise<string> {
  const { info } = await client.call('originateCall', { body: { callerId: '1001', calledId: '1002' } })
  const uuid = info.replace('+OK ', '').trim()
  const params = { channel_id: uuid }
  await isUp()
  for (const state of ['hold', 'unhold'] as const) await client.call('holdChannel', { params, body: { state } })
  await client.call('hangUpChannel', { params })
  return uuid
}

describe('the events of a call', () => {
  it('the list has the events of a call in order and once, though no hook names them and each arrived twice', async () => {
    const { head } = await list(admin)
    const names = async () => (await list(admin, head)).events.map(({ name }) => name)
    const uuid = await liveACall(admin, () => expect.poll(names, { timeout: 20_000 }).toContain('CHANNEL_BRIDGE'))
    await expect
      .poll(async () => (await list(admin, head)).events.map((event) => `${event.uuid} ${event.name}`), {
        timeout: 20_000,
      })
      .toContain(`${uuid} CHANNEL_HANGUP_COMPLETE`)
    const published = await untilPublished('2001')

    const page = await list(admin, head)

    const own = page.events.filter((event) => event.uuid === uuid).map(({ name }) => name)
    const expected = ['CREATE', 'ANSWER', 'BRIDGE', 'HOLD', 'UNHOLD', 'HANGUP_COMPLETE'].map(
      (name) => `CHANNEL_${name}`,
    )
    expect(own.filter((name) => name !== 'CHANNEL_BRIDGE')).toEqual(
      expected.filter((name) => name !== 'CHANNEL_BRIDGE'),
    )
    expect(page.events.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...expected, 'CUSTOM->svc::account_status', 'CUSTOM->svc::user_create']),
    )
    // An event that came again used up a number that is of no event.
    const voids = page.gaps.flatMap((gap) => {
      if (gap.kind !== 'numbers' || gap.reason !== 'void') throw new Error(`events may be missing: ${gap.reason}`)
      const { fromSequence: from, toSequence: to } = gap
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    })
    const numbers = [...page.events.map(({ sequence }) => sequence), ...voids].toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: page.next - head }, (_, index) => head + 1 + index))
    expect(page).toMatchObject({ isCollected: true, more: false })
    const created = page.events.find(({ name }) => name === 'CUSTOM->svc::user_create')
    expect(published.headers['webhook-sequence']).toBe(`${created?.sequence}`)
  })

  it('the events of a call are in no list of another tenant, nor in one of a domain without hooks', async () => {
    await liveACall(stranger)
    await untilPublished('2002')

    const own = await list(admin)
    expect(own.events.filter(({ event }) => event['Event-Domain'] !== domain)).toEqual([])
    expect(await list(stranger)).toMatchObject({ events: [], head: 0, isCollected: false })
  })
})
