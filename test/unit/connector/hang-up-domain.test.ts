import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ChannelList } from '../../../connector/calls/channel-list.ts'
import { hangUpDomain } from '../../../connector/commands/hang-up-domain.ts'
import type { CommandScope } from '../../../core/commands/commands.ts'

const scope = { domain: 'a.example.com', presenceId: null }

/** An engine with these channels in every scope, which keeps the commands that it gets. */
function anEngine(uuids: readonly string[], reply = '+OK\n', missed: readonly string[] = []) {
  const lines: string[] = []
  const asked: CommandScope[] = []
  const channels: ChannelList = {
    read: async () => '{}',
    uuids: async (wanted) => {
      asked.push(wanted)
      return { byEngine: new Map([['fs1', uuids]]), missed }
    },
  }
  const commands = {
    async api(line: string) {
      lines.push(line)
      return reply
    },
  }
  return { lines, asked, parts: { channels, engines: [{ engine: { name: 'fs1', commands } }] } }
}

describe('the calls of a deleted domain', () => {
  test('the calls of a deleted domain are each hung up, as the doing of a manager', async () => {
    const uuids = [randomUUID(), randomUUID()]
    const { lines, asked, parts } = anEngine(uuids)

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'done', text: '+OK 2\n' })

    expect(lines).toEqual(uuids.map((uuid) => `uuid_kill ${uuid} MANAGER_REQUEST`))
    expect(asked).toEqual([scope])
  })

  test('the calls of a deleted domain that ended meanwhile are no failure', async () => {
    const { parts } = anEngine([randomUUID()], '-ERR No such channel!\n')

    expect(await hangUpDomain(parts, scope)).toMatchObject({ state: 'done' })
  })

  test('a deleted domain without calls needs nothing', async () => {
    const { parts, lines } = anEngine([])

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'done', text: '+OK 0\n' })
    expect(lines).toEqual([])
  })

  test('a channel with an id that cannot stand in a line keeps no other channel of the domain up', async () => {
    const uuid = randomUUID()
    const { lines, parts } = anEngine(['all\napi shutdown', uuid])

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'refused', text: '-ERR 1 left\n' })
    expect(lines).toEqual([`uuid_kill ${uuid} MANAGER_REQUEST`])
  })

  test('the calls of a deleted domain are ended where they can be, and the order is to be given again, while an engine is away that may hold more', async () => {
    const uuid = randomUUID()
    const { lines, parts } = anEngine([uuid], '+OK\n', ['fs2'])

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'unsent', reason: 'disconnected' })
    expect(lines).toEqual([`uuid_kill ${uuid} MANAGER_REQUEST`])
  })

  test('the calls of a deleted domain are never those of every domain', async () => {
    const { lines, asked, parts } = anEngine([randomUUID()])

    expect(await hangUpDomain(parts, { domain: null, presenceId: null })).toMatchObject({ state: 'refused' })
    expect([...lines, ...asked]).toEqual([])
  })
})
