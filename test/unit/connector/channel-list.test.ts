import { describe, expect, test } from 'vitest'
import { channelList } from '../../../connector/calls/channel-list.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import type { DomainNames } from '../../../connector/calls/domain-names.ts'
import { UnreadableReply } from '../../../connector/calls/engine-channels.ts'
import { channelFields } from '../../../contracts/routes/channels.ts'
import { ofCalled, ofCaller } from '../../support/engine/leg-fields.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { playedEngine } from '../../support/engine/played-engine.ts'

const domains: DomainNames = { exists: (name) => ['a.example.com', 'x.a.example.com', 'example.com'].includes(name) }
const everything = { domain: null, presenceId: null }

/** A row as the engine gives it, as far as it decides anything. */
const row = (uuid: string, context: string, more: Readonly<Record<string, string>> = {}) => ({
  uuid,
  context,
  created_epoch: '1795217445',
  presence_id: `1000@${context}`,
  accountcode: '1000',
  ...more,
})

function aList(...rows: Readonly<Record<string, unknown>>[]) {
  const time = manualTime()
  const registry = new ChannelRegistry(domains)
  const engine = playedEngine('192.0.2.1:8021', { time, registry, domains })
  engine.up()
  const link = engine.engine.commands
  const dumps = new Map<string, object>()
  link.answer = (command) => {
    if (command === 'show channels as json') return JSON.stringify({ row_count: rows.length, rows })
    const dump = dumps.get(/^uuid_dump (\S+) json$/.exec(command)?.[1] ?? '')
    return dump === undefined ? '-ERR No such channel!\n' : JSON.stringify(dump)
  }
  const list = channelList({ engines: [engine], registry })
  const uuids = async (domain: string | null, presenceId: string | null = null) =>
    [...(await list.read({ domain, presenceId })).matchAll(/"uuid":"([^"]+)"/g)].map(([, uuid]) => uuid)
  /** Records an event of a channel. */
  const tell = async (uuid: string, fields: Readonly<Record<string, string>>) =>
    void (await registry.learn(uuid, (name) => fields[name], '192.0.2.1:8021', 'event'))
  return { time, link, registry, list, uuids, dumps, tell }
}

const readingsOf = ({ asked }: { readonly asked: readonly string[] }) =>
  asked.filter((line) => line === 'show channels as json')

test('a domain sees its own channels and not those of a domain with a similar name', async () => {
  const { uuids } = aList(
    row('1', 'a.example.com'),
    row('2', 'x.a.example.com'),
    row('3', 'example.com'),
    row('4', 'public'),
  )

  expect(await uuids('a.example.com')).toEqual(['1'])
  expect(await uuids('example.com')).toEqual(['3'])
  expect(await uuids(null)).toEqual(['1', '2', '3', '4'])
})

test('a call from a gateway is shown to its domain while it rings, although its first event names no domain', async () => {
  const uuid = '3f1c0f4e-7a39-4d52-9f8b-0d7c9b1c5e11'
  const { uuids, tell, dumps } = aList(row(uuid, 'public', { direction: 'inbound', presence_id: '' }))
  await tell(uuid, { 'Call-Direction': 'inbound', 'Caller-Context': 'public', variable_uuid: uuid })
  dumps.set(uuid, { 'Call-Direction': 'inbound', variable_uuid: uuid, variable_w_domain: 'a.example.com' })

  expect(await uuids('a.example.com')).toEqual([uuid])
})

test('a channel without a domain is shown only to root', async () => {
  const { uuids } = aList(row('1', 'public', { presence_id: '' }))

  expect(await uuids('public')).toEqual([])
  expect(await uuids(null)).toEqual(['1'])
})

test("fields of a channel from events take precedence over those in the engine's row", async () => {
  const { uuids, registry } = aList(row('1', 'example.com'))
  registry.place('1', 'a.example.com', '1000@a.example.com', '')

  expect(await uuids('a.example.com')).toEqual(['1'])
  expect(await uuids('example.com')).toEqual([])
})

describe('a caller who sees only their own channels', () => {
  const own = ['a.example.com', '1000@a.example.com'] as const

  test('a caller who sees only their own channels sees the channels of their account, whatever case the engine writes it in', async () => {
    const { uuids, tell } = aList(row('1', 'a.example.com'), row('2', 'a.example.com'), row('3', 'a.example.com'))
    await tell('1', ofCaller('1000@A.example.com'))
    await tell('2', ofCaller('11000@a.example.com'))
    await tell('3', ofCalled('1000@a.example.com'))

    expect(await uuids(...own)).toEqual(['1', '3'])
  })

  test('a caller who sees only their own channels does not see a channel whose phone put their name into its From header', async () => {
    const { uuids, tell } = aList(row('1', 'a.example.com', { direction: 'inbound' }))
    await tell('1', { ...ofCaller('1001@a.example.com'), 'Channel-Presence-ID': '1000@a.example.com' })

    expect(await uuids(...own)).toEqual([])
    expect(await uuids('a.example.com', '1001@a.example.com')).toEqual(['1'])
  })

  test('a caller who sees only their own channels sees a channel of a profile that does not manage presence', async () => {
    const { uuids, tell } = aList(row('1', 'a.example.com', { direction: 'inbound', presence_id: '' }))
    const {
      'Channel-Presence-ID': _header,
      variable_presence_id: _variable,
      ...anonymous
    } = ofCaller('1000@a.example.com')
    await tell('1', anonymous)

    expect(await uuids(...own)).toEqual(['1'])
  })

  test('a caller who sees only their own channels sees no channel whose account is unknown', async () => {
    const { uuids } = aList(row('1', 'a.example.com', { presence_id: '1000@a.example.com' }))

    expect(await uuids(...own)).toEqual([])
  })
})

describe('the account of a channel without any event', () => {
  const known = '7d1f9a34-26a3-4f0e-9a53-3c6f3a6d8b01'

  test('the account of a channel without any event is asked of the engine once, and shown as the presence id of its row', async () => {
    const { list, link, dumps, time } = aList(row(known, 'a.example.com', { presence_id: '1000@a.example.com' }))
    dumps.set(known, { 'Unique-ID': known, variable_uuid: known, ...ofCaller('1001@a.example.com') })
    const asked = () => link.asked.filter((command) => command.startsWith('uuid_dump'))

    expect(JSON.parse(await list.read(everything)).rows).toMatchObject([{ presence_id: '1001@a.example.com' }])
    await time.advance(5_000)
    await list.read(everything)

    expect(asked()).toEqual([`uuid_dump ${known} json`])
  })

  test('the account of a channel without any event is shown as "" when the engine does not name it', async () => {
    const { list } = aList(row(known, 'a.example.com', { presence_id: '1000@a.example.com' }))

    expect(JSON.parse(await list.read(everything)).rows).toMatchObject([{ presence_id: '' }])
  })

  test('the account of a channel without any event is asked of the engine for at most 200 channels in one reading', async () => {
    const uuids = Array.from(
      { length: 250 },
      (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    )
    const { list, link } = aList(...uuids.map((uuid) => row(uuid, 'a.example.com')))

    await list.read(everything)

    expect(link.asked.filter((command) => command.startsWith('uuid_dump'))).toHaveLength(200)
  })
})

test('a row has exactly the published fields, and "" where the engine reports no value', async () => {
  const { list } = aList({ ...row('1', 'a.example.com'), read_rate: 8000 })

  const { rows } = JSON.parse(await list.read(everything))

  expect(Object.keys(rows[0])).toEqual([...channelFields])
  expect(rows[0]).toMatchObject({ uuid: '1', callstate: '', read_rate: '' })
})

test('the oldest channel is first, and equally old ones are in the order of their uuids', async () => {
  const at = (created_epoch: string) => ({ created_epoch })
  const { uuids } = aList(
    row('c', 'a.example.com', at('1000000000')),
    row('b', 'a.example.com', at('999999999')),
    row('a', 'a.example.com', at('1000000000')),
  )

  expect(await uuids(null)).toEqual(['b', 'a', 'c'])
})

test('the list of an engine without channels, which has no rows, is empty', async () => {
  const { link, list } = aList()
  link.answer = () => '{"row_count": 0}\n'

  expect(await list.read(everything)).toBe('{"row_count":0,"rows":[]}')
})

test('all callers who ask within a second share one reading of the engine', async () => {
  const { list, link, time } = aList(row('1', 'a.example.com'))

  await Promise.all([list.read(everything), list.read({ domain: 'a.example.com', presenceId: null })])
  await time.advance(999)
  await list.read(everything)
  expect(readingsOf(link)).toHaveLength(1)

  await time.advance(1)
  await list.read(everything)
  expect(readingsOf(link)).toHaveLength(2)
})

test('a tenant whose channels changed since a reading began gets a new one, and the others share the old one', async () => {
  const { list, link, registry, time } = aList(row('1', 'a.example.com'), row('2', 'example.com'))
  const own = { domain: 'a.example.com', presenceId: null }
  await list.read(own)

  registry.touch('a.example.com')
  await list.read({ domain: 'example.com', presenceId: null })
  expect(readingsOf(link)).toHaveLength(1)

  const lists = [list.read(own), list.read(own)]
  await time.advance(200)
  await Promise.all(lists)
  expect(readingsOf(link)).toHaveLength(2)
})

test('a change during a reading causes one more reading after it, however many callers ask', async () => {
  const { list, link, registry, time } = aList(row('1', 'a.example.com'))
  const before = list.read(everything)

  registry.touch('a.example.com')
  const after = [list.read(everything), list.read(everything), list.read(everything)]
  await time.advance(200)
  await Promise.all([before, ...after])

  expect(readingsOf(link)).toHaveLength(2)
})

test("events take precedence over the engine's table of channels, which is updated late", async () => {
  const { list, registry } = aList(
    row('1', 'a.example.com', { callstate: 'ACTIVE' }),
    row('2', 'a.example.com', { callstate: 'ACTIVE' }),
  )
  const event = (state: string) => (name: string) =>
    ({ 'Channel-Call-State': state, 'Caller-Context': 'a.example.com' })[name]
  await registry.learn('1', event('HELD'), '')
  await registry.learn('2', event('ACTIVE'), '')
  registry.end('2', '')

  const { row_count, rows } = JSON.parse(await list.read(everything))

  expect(row_count).toBe(1)
  expect(rows).toMatchObject([{ uuid: '1', callstate: 'HELD' }])
})

test('a failed reading of channels is not shared with the next caller', async () => {
  const { list, link } = aList()
  link.answer = () => 'not a list'
  await expect(list.read(everything)).rejects.toThrow(UnreadableReply)

  link.answer = () => '{"row_count": 0}\n'

  await expect(list.read(everything)).resolves.toBe('{"row_count":0,"rows":[]}')
})

test('a change right after a reading of channels began causes no other reading for 200 ms', async () => {
  const { list, link, registry, time } = aList(row('1', 'a.example.com'))
  await list.read(everything)

  registry.touch('a.example.com')
  const next = list.read(everything)
  await time.advance(199)
  expect(readingsOf(link)).toHaveLength(1)
  await time.advance(1)
  await next

  expect(readingsOf(link)).toHaveLength(2)
})

test('all callers that list the same channels while nothing changes get the same complete text', async () => {
  const { list, registry, time, tell } = aList(row('1', 'a.example.com'), row('2', 'example.com'))
  await tell('1', ofCaller('1000@a.example.com'))
  const own = { domain: 'a.example.com', presenceId: null }
  const first = await list.read(own)

  expect(await list.read(own)).toBe(first)
  expect(await list.read({ ...own, presenceId: '1000@a.example.com' })).toBe(first)
  expect(await list.read({ ...own, presenceId: '1001@a.example.com' })).toBe('{"row_count":0,"rows":[]}')

  await registry.learn('1', (name) => ({ 'Channel-Call-State': 'HELD', 'Caller-Context': 'a.example.com' })[name], '')
  const later = list.read(own)
  await time.advance(200)
  expect(JSON.parse(await later).rows).toMatchObject([{ uuid: '1', callstate: 'HELD' }])
})

test('the rows of several engines are one list, in one order, each channel once', async () => {
  const time = manualTime()
  const registry = new ChannelRegistry(domains)
  const answers = [
    [row('c', 'a.example.com', { created_epoch: '3' }), row('a', 'a.example.com', { created_epoch: '1' })],
    [row('b', 'a.example.com', { created_epoch: '2' }), row('c', 'a.example.com', { created_epoch: '3' })],
    [],
  ]
  const engines = answers.map((rows, index) => {
    const engine = playedEngine(`fs${index}:8021`, { time, registry, domains })
    engine.up()
    engine.engine.commands.answer = () => JSON.stringify({ row_count: rows.length, rows })
    return engine
  })

  const { row_count, rows } = JSON.parse(await channelList({ engines, registry }).read(everything))

  expect(row_count).toBe(3)
  expect(rows.map(({ uuid }: { uuid: string }) => uuid)).toEqual(['a', 'b', 'c'])
})

test('no caller gets a part of the list when one engine cannot give its own', async () => {
  const time = manualTime()
  const registry = new ChannelRegistry(domains)
  const engines = ['fs1:8021', 'fs2:8021'].map((name) => {
    const engine = playedEngine(name, { time, registry, domains })
    engine.up()
    engine.engine.commands.answer = () => '{"row_count": 0}\n'
    return engine
  })
  const list = channelList({ engines, registry })
  if (engines[1] !== undefined) engines[1].engine.commands.answer = () => 'not a list'

  await expect(list.read(everything)).rejects.toThrow(UnreadableReply)
})
