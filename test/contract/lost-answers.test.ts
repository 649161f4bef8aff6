/** Every write is done and its answer lost, so that the client tries it again: it must count as done, and once. */
import { describe, expect, test } from 'vitest'
import { deleteItem, tableName } from '../../adapters/dynamodb/client.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { eachNth } from '../support/breadth.ts'
import { startCloudGate } from '../support/stores/cloud-gate.ts'
import { dump, storedItems } from '../support/stores/dump.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { dynamoStores } from '../support/stores/stores.ts'
import { now, writes } from './every-write.ts'

/**
 * Runs the scenario of test/contract/store-faults.test.ts with each of its ends. Numbers that are taken twice are void
 * once: test/contract/event-numbering.test.ts.
 */
const elsewhere = /^(?:deliveries\.\w+Attempt|eventLogWriter\.take)$/

/** Ports' methods that only read or wait. */
const reading =
  /^(?:read|list|is[A-Z]|was[A-Z]|exists|page|names|entries|callflows|version|latest|head|anyExists|pause|count$)/

const isWrite = /^(?:Put|Update|Delete|TransactWrite|BatchWrite)Item/

describe('a write whose answer is lost each time is done once and answered as done', () => {
  const cloud = opened(openCloud)

  test.each(eachNth(Object.entries(writes), 3))(
    'a write whose answer is lost each time is done once: %s',
    async (_, { first, write, answer }) => {
      const { stores, direct, everything, loseAnswers, forget } = cloud().fresh()
      await forget()
      await first?.(direct)
      const before = await everything()
      await write(direct)
      const wanted = (await everything()).map(shapeOf)
      await forget()
      await first?.(cloud().fresh().direct)
      expect((await everything()).map(shapeOf)).toEqual(before.map(shapeOf))
      const lost = loseAnswers()

      const given = await write(stores)

      expect(lost()).toBeGreaterThan(0)
      expect(given).toEqual(answer)
      expect((await everything()).map(shapeOf)).toEqual(wanted)
    },
  )

  test('the list of lost answers has every method that writes', () => {
    const { direct } = cloud().fresh()
    const methods = Object.entries(direct).flatMap(([port, methodsOf]) =>
      Object.keys(methodsOf).map((method) => ({ port, method })),
    )
    const tested = new Set(Object.keys(writes).map((name) => name.split(' ')[0]))

    const missing = methods
      .filter(({ port, method }) => !reading.test(method) || tested.has(`${port}.${method}`))
      .map(({ port, method }) => `${port}.${method}`)
      .filter((name) => !tested.has(name) && !elsewhere.test(name))

    expect(missing).toEqual([])
  })
})

/**
 * An item without what differs from run to run: marks of writes, and which of the free slots was taken. The version of
 * all subscriptions is only to be another one: it may rise twice.
 */
function shapeOf(item: string): string {
  if (item.includes('"pk":"subscriptions"')) return 'subscriptions'
  return item.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '*').replaceAll(/slot\|\d/g, 'slot')
}

async function openCloud() {
  const server = await startDynamoServer()
  const gate = await startCloudGate({ DynamoDB_20120810: server.endpoint })
  const context = { env: server.env, clock: movableClock(now), random: systemRandomness }
  const about = {
    everything: () => dump(context),
    /** Each different request that writes is done, and its first answer is lost. Returns their number. */
    loseAnswers: () => {
      const seen = new Set<string>()
      gate.answer = async (call, forward) => {
        const reply = await forward()
        const request = JSON.stringify(call.input)
        if (!isWrite.test(call.action) || seen.has(request)) return reply
        seen.add(request)
        return 'lost'
      }
      return () => seen.size
    },
    forget: async () => {
      for (const { table, item } of await storedItems(context)) {
        const Key = { pk: String(item['pk']), sk: String(item['sk']) }
        await deleteItem(context, { TableName: tableName(context, table), Key })
      }
    },
  }
  return {
    /** Stores as of another process, which remembers nothing. */
    fresh: () => ({
      ...about,
      direct: dynamoStores(context),
      stores: dynamoStores({ ...context, env: { ...server.env, ...gate.env } }),
    }),
    async close() {
      await gate.close()
      await server.close()
    },
  }
}
