import { afterEach, describe, expect, test } from 'vitest'
import type { EventUpdate } from '../../../core/cdr/cdr-update.ts'
import { cdrFromEvent } from '../../../core/cdr/cdr-from-event.ts'
import type { PhoneCall } from '@callplane/simulated-freeswitch'
import { simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { aHook } from '../../support/records/records.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

const domain = 'tenant1.example.com'
const wanted = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_CALLSTATE']

let close = async () => {}
afterEach(() => close())

/** A connector on a simulated engine whose phone 1002 writes what it likes into its INVITE. */
async function aHarness(managesPresence: boolean) {
  const harness = await simulatorHarness({ managesPresence })
  const running = await aRunningConnector([{ host: '127.0.0.1', port: harness.engine.port, password: 'ClueCon' }], {
    time: harness.time,
    domains: [domain],
    hooks: wanted.map((event) => aHook({ event, domain })),
  })
  close = async () => {
    await running.stop()
    await harness.close()
  }
  const { ports, until, connector } = running
  await until(() => connector.health().status === 'OK')
  /** The uuids and presence ids that a caller is shown. */
  const list = async (login: string | null) => {
    const scope = { domain, presenceId: login === null ? null : `${login}@${domain}` }
    const done = await running.run({ kind: 'list-channels' }, scope)
    if (done?.state !== 'done') throw new Error('no list')
    const { rows }: { rows: Record<string, string>[] } = JSON.parse(done.text)
    return rows.map(({ uuid, presence_id }) => [uuid, presence_id])
  }
  const call = async (given: Partial<PhoneCall> = {}) => {
    const uuid = harness.engine.placeCall('1002', domain, { to: '9196', ...given }) ?? ''
    await until(async () => (await list(null)).some(([listed]) => listed === uuid))
    return uuid
  }
  const busy = async () => {
    const legs = (await ports.knownCalls.listOf(domain)).filter(({ state }) => state === 'up')
    return legs.flatMap(({ presenceId }) => (presenceId === '' ? [] : (presenceId.split('@')[0] ?? [])))
  }
  const hangUp = async (uuid: string) => {
    const client = await harness.login()
    await client.command(`api uuid_kill ${uuid}`)
    await until(() => cdrUpdates(uuid).length === 1)
  }
  const cdrUpdates = (uuid: string): EventUpdate[] =>
    ports.cdrQueue.queued.filter((update): update is EventUpdate => update.kind === 'event' && update.uuid === uuid)
  const cdr = (uuid: string) => cdrUpdates(uuid).map((update) => cdrFromEvent(update)?.cdr)[0]
  return { ports, call, list, busy, hangUp, cdr, until }
}

describe.each([
  ['manages presence', true],
  ['does not manage presence', false],
])('on a profile that %s, the call of a phone that calls itself another user', (_what, managesPresence) => {
  const asAdmin = { from: `1000@${domain}` }

  test('a call is listed as a channel of the authenticated user, and not of the other one', async () => {
    const { call, list } = await aHarness(managesPresence)
    const uuid = await call(asAdmin)

    expect(await list(null)).toEqual([[uuid, `1002@${domain}`]])
    expect(await list('1002')).toEqual([[uuid, `1002@${domain}`]])
    expect(await list('1000')).toEqual([])
  })

  test('a call makes the authenticated user busy, and not the other one', async () => {
    const { call, busy, until } = await aHarness(managesPresence)
    await call(asAdmin)

    await until(async () => (await busy()).length > 0)

    expect(await busy()).toEqual(['1002'])
  })

  test('a call belongs to the authenticated user in its events and in its CDR', async () => {
    const { ports, call, hangUp, cdr } = await aHarness(managesPresence)
    const uuid = await call(asAdmin)
    await hangUp(uuid)

    const published = ports.events.published.filter((event) => event.uuid === uuid)
    const named = ['Channel-Presence-ID', 'variable_presence_id'].flatMap((name) =>
      published.map(({ fields }) => fields[name]),
    )
    expect(published.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted))
    expect(new Set(named.filter((name) => name !== undefined))).toEqual(new Set([`1002@${domain}`]))
    expect(cdr(uuid)).toMatchObject({ presence_id: `1002@${domain}`, extension: '1002', leg: 'a' })
  })

  test('a call stays leg a without a parent, whatever headers the phone sends', async () => {
    const { call, hangUp, cdr } = await aHarness(managesPresence)
    const headers = {
      'X-FS-Channel-Name': 'loopback/9196-b',
      'X-originating_leg_uuid': 'hidden',
      'P-Loopback-Leg': 'B',
      user_name: '1000',
    }
    const uuid = await call({ ...asAdmin, headers })
    await hangUp(uuid)

    expect(cdr(uuid)).toMatchObject({ leg: 'a', presence_id: `1002@${domain}` })
    expect(cdr(uuid)).not.toHaveProperty('parent_uuid')
  })

  test('a call that rings an account gives the new leg to that account', async () => {
    const { call, list, until } = await aHarness(managesPresence)
    const uuid = await call({ ...asAdmin, to: '1003' })
    await until(async () => (await list(null)).length === 2)

    expect(await list('1002')).toEqual([[uuid, `1002@${domain}`]])
    expect((await list('1003')).map(([, account]) => account)).toEqual([`1003@${domain}`])
    expect(await list('1000')).toEqual([])
  })
})
