import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import * as routes from '../../../contracts/routes/channels.ts'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import { type ChannelFilter, listChannels, pageOfChannels } from '../../../core/channels/list-channels.ts'
import { aCaller, aRoot } from '../../support/platform/caller.ts'
import { manyChannels } from '../../support/engine/many-channels.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const row = (given: Record<string, string>): Record<string, string> => ({
  uuid: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
  created_epoch: '1750000000',
  presence_id: '1000@a.example.com',
  callstate: 'ACTIVE',
  direction: 'inbound',
  ...given,
})

const rows = (...all: Record<string, string>[]): CommandOutcome => ({
  state: 'done',
  text: JSON.stringify({ row_count: all.length, rows: all }),
})

function aSetup(outcome: CommandOutcome | undefined) {
  const ports = memoryPorts({ clock: movableClock(), random: systemRandomness })
  ports.engine.answer = () => outcome
  const orderer = { caller: aCaller(), domain: 'a.example.com', scope: 'all' as const }
  return {
    ports,
    orderer,
    list: (filter: ChannelFilter = {}, as = {}) =>
      listChannels(ports.engine, { ...orderer, ...as }, filter, routes.channelFields),
  }
}

const uuids = (channels: readonly Readonly<Record<string, string>>[]) => channels.map(({ uuid }) => uuid)

describe('the channel list', () => {
  it('the channel list has every published field and no other, empty if the engine does not report it', async () => {
    const { list } = aSetup(rows(row({ accountcode: 'secret', name: 'sofia/x' })))

    const [channel] = await list()

    expect(Object.keys(channel ?? {})).toEqual([...routes.channelFields])
    expect(channel).toMatchObject({ name: 'sofia/x', read_codec: '' })
  })

  it('the channel list is ordered by age, then by uuid', async () => {
    const { list } = aSetup(
      rows(
        row({ uuid: 'c', created_epoch: '1750000001' }),
        row({ uuid: 'b', created_epoch: '999999999' }),
        row({ uuid: 'a', created_epoch: '1750000001' }),
      ),
    )

    expect(uuids(await list())).toEqual(['b', 'a', 'c'])
  })

  it('the channel list is empty when there is no channel', async () => {
    const { list } = aSetup(rows())

    expect(pageOfChannels(await list(), {}, routes.channelFields)).toEqual({
      data: { row_count: 0, rows: [] },
      headers: {},
    })
  })

  it.each<[string, ChannelFilter, string[]]>([
    ['a login', { userId: '1000' }, ['a', 'b']],
    ['a login with its domain', { userId: '1001@a.example.com' }, ['c']],
    ['part of a login', { userId: '100' }, []],
    ['a call state', { callstate: 'HELD' }, ['b']],
    ['a direction', { direction: 'outbound' }, ['c']],
    ['two of them', { userId: '1000', callstate: 'ACTIVE' }, ['a']],
  ])('the channel list can be filtered by %s', async (_title, filter, expected) => {
    const { list } = aSetup(
      rows(
        row({ uuid: 'a' }),
        row({ uuid: 'b', callstate: 'HELD' }),
        row({ uuid: 'c', presence_id: '1001@a.example.com', direction: 'outbound' }),
        row({ uuid: 'd', presence_id: '' }),
      ),
    )

    expect(uuids(await list(filter))).toEqual(expected)
  })

  it.each([
    ['of the domain for an admin', {}, { domain: 'a.example.com', presenceId: null }],
    ['of the caller alone for a user', { scope: 'own' }, { domain: 'a.example.com', presenceId: '1000@a.example.com' }],
    ['of all domains for root without one', { caller: aRoot(), domain: null }, { domain: null, presenceId: null }],
  ])('the channel list contains the channels %s', async (_title, as, scope) => {
    const { list, ports } = aSetup(rows())

    await list({}, as)

    expect(ports.engine.given).toMatchObject([{ command: { kind: 'list-channels' }, scope }])
  })

  it.each<[string, CommandOutcome | undefined]>([
    ['does not answer in time', undefined],
    ['is not connected', { state: 'unsent', reason: 'disconnected' }],
    ['is not reached in time', { state: 'unsent', reason: 'expired' }],
    ['goes away meanwhile', { state: 'unknown', reason: 'disconnected' }],
    ['loses its connector meanwhile', { state: 'unknown', reason: 'connector_lost' }],
    ['takes too long', { state: 'unknown', reason: 'timeout' }],
    ['gives something else', { state: 'done', text: '-ERR' }],
    ['gives no rows', { state: 'done', text: '{"row_count":0}' }],
  ])('the channel list is unavailable, never old, when the engine %s', async (_title, outcome) => {
    const { list } = aSetup(outcome)

    await expect(list()).rejects.toMatchObject({ code: 'engine_unavailable', retryAfterSeconds: 5 })
  })

  it('the channel list continues where a page ended, in the shape of the contract', async () => {
    const all = Array.from({ length: 5 }, (_, n) => row({ uuid: `u${n}`, created_epoch: `${1_750_000_000 + n}` }))
    const { list } = aSetup(rows(...all))
    const channels = await list()

    const first = pageOfChannels(channels, { limit: 3 }, routes.channelFields)
    const cursor = first.headers['X-Next-Cursor']
    const second = pageOfChannels(channels, { limit: 3, cursor }, routes.channelFields)

    expect(first.data.row_count).toBe(3)
    expect(second.data.row_count).toBe(2)
    expect([...first.data.rows, ...second.data.rows]).toEqual(channels)
    expect(routes.listChannels.response.safeParse({ status: 'OK', data: first.data }).success).toBe(true)
  })

  it("the channel list is parsed once for all requests that share the engine's answer", async () => {
    let readings = 0
    const text = JSON.stringify({ row_count: 2, rows: [row({ uuid: 'b' }), row({ uuid: 'a', callstate: 'HELD' })] })
    const shared: CommandOutcome = {
      state: 'done',
      get text() {
        readings += 1
        return text
      },
    }
    const { list } = aSetup(shared)

    const lists = await Promise.all(
      Array.from({ length: 100 }, (_, n) => list(n % 2 === 0 ? {} : { callstate: 'HELD' })),
    )

    expect(lists.map(uuids)).toEqual(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? ['a', 'b'] : ['a'])))
    expect(readings).toBe(1)
  })

  it("sorting or reducing one caller's copy of the channel list leaves it complete for the next request", async () => {
    const { list } = aSetup(rows(row({ uuid: 'a' }), row({ uuid: 'b' })))
    const mine = await list()

    mine.splice(0, 1)

    expect(uuids(await list())).toEqual(['a', 'b'])
  })
})

/** Bytes of an answer as a function hands it over, and the most that it may have. */
const handedOver = (data: object) =>
  Buffer.byteLength(JSON.stringify({ statusCode: 200, body: JSON.stringify({ status: 'OK', data }) }))
const mostHandedOver = 6 * 1024 * 1024

describe('a page of five thousand channels', () => {
  const channels = (given: Record<string, string>) =>
    manyChannels(5_000).map((channel) => Object.assign({}, channel, given))

  it.each([
    ['long', 'sofia/internal/sip:1001@192.0.2.17:5060;transport=udp;fs_path=sip%3A192.0.2.1%3A5060|'.repeat(20)],
    ['full of quotes and backslashes', '"\\'.repeat(800)],
    ['of another script', 'ж日😀'.repeat(300)],
  ])(
    'a page of five thousand channels ends before its answer is too large, and continues, where texts are %s',
    async (_title, text) => {
      const all = channels({ application_data: text })
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { data, headers } = pageOfChannels(all, { cursor }, routes.channelFields)
        cursor = headers['X-Next-Cursor']
        seen.push(...data.rows.map(({ uuid = '' }) => uuid))
        expect(handedOver(data)).toBeLessThan(mostHandedOver)
        expect(headers['X-Truncated']).toBe(cursor === undefined ? undefined : 'true')
      } while (cursor !== undefined)

      expect(seen).toEqual(uuids(all))
    },
  )

  it('a page of channels has four thousand ordinary ones, even if few columns are requested', () => {
    const usual = pageOfChannels(channels({}), {}, routes.channelFields)
    const heavy = channels({ application_data: 'x'.repeat(5_000) })
    const few = pageOfChannels(heavy, { columns: 'uuid' }, routes.channelFields)

    expect([usual.data.row_count, few.data.row_count]).toEqual([4_000, 4_000])
    expect(handedOver(usual.data)).toBeLessThan(mostHandedOver)
  })
})
