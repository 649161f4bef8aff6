import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ChannelList } from '../../../connector/calls/channel-list.ts'
import { hangUpDomain } from '../../../connector/commands/end-account.ts'
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
  test("the calls of a deleted domain are each hung up, with the cause of a manager's request", async () => {
    const uuids = [randomUUID(), randomUUID()]
    const { lines, asked, parts } = anEngine(uuids)

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'done', text: '+OK 2\n' })

    expect(lines).toEqual(uuids.map((uuid) => `uuid_kill ${uuid} MANAGER_REQUEST`))
    expect(asked).toEqual([scope])
  })

  test('hanging up the calls of a deleted domain succeeds although some of them ended meanwhile', async () => {
    const { parts } = anEngine([randomUUID()], '-ERR No such channel!\n')

    expect(await hangUpDomain(parts, scope)).toMatchObject({ state: 'done' })
  })

  test('hanging up the calls of a deleted domain succeeds if it has none', async () => {
    const { parts, lines } = anEngine([])

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'done', text: '+OK 0\n' })
    expect(lines).toEqual([])
  })

  test('a channel whose id cannot be part of a command does not prevent hanging up the other channels of the domain', async () => {
    const uuid = randomUUID()
    const { lines, parts } = anEngine(['all\napi shutdown', uuid])

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'refused', text: '-ERR 1 left\n' })
    expect(lines).toEqual([`uuid_kill ${uuid} MANAGER_REQUEST`])
  })

  test('while an engine is away, the calls of a deleted domain are hung up at the others and the order must be repeated', async () => {
    const uuid = randomUUID()
    const { lines, parts } = anEngine([uuid], '+OK\n', ['fs2'])

    expect(await hangUpDomain(parts, scope)).toEqual({ state: 'unsent', reason: 'disconnected' })
    expect(lines).toEqual([`uuid_kill ${uuid} MANAGER_REQUEST`])
  })

  test("an order without a domain to hang up a domain's calls is refused and hangs up none", async () => {
    const { lines, asked, parts } = anEngine([randomUUID()])

    expect(await hangUpDomain(parts, { domain: null, presenceId: null })).toMatchObject({ state: 'refused' })
    expect([...lines, ...asked]).toEqual([])
  })
})
