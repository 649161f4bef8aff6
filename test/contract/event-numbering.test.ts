/** What only logs in DynamoDB can meet: many processes at once, some of which die, and a store that refuses. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dynamoEventLog } from '../../adapters/dynamodb/dynamo-event-log.ts'
import { putItem, tableName } from '../../adapters/dynamodb/client.ts'
import { headKey, takeTurn } from '../../adapters/dynamodb/event-log-head.ts'
import { logPartition } from '../../adapters/dynamodb/event-log-parts.ts'
import { numberPart } from '../../adapters/dynamodb/key.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { type CloudGate, startCloudGate } from '../support/cloud-gate.ts'
import { startDynamoServer } from '../support/dynamo-server.ts'
import { movableClock } from '../support/movable-clock.ts'
import { opened } from '../support/opened.ts'
import { anEvent } from '../support/records.ts'

const cloud = opened(async () => {
  const server = await startDynamoServer()
  const gate = await startCloudGate({ DynamoDB_20120810: server.endpoint })
  const context = { env: { ...server.env, ...gate.env }, clock: movableClock(), random: systemRandomness }
  return {
    context,
    gate,
    /** The log as another process has it. */
    aLog: () => dynamoEventLog(context),
    close: async () => {
      await gate.close()
      await server.close()
    },
  }
})

const aDomain = () => `${randomUUID()}.example.com`
const eventsOf = (domain: string, count: number) => Array.from({ length: count }, () => anEvent({ domain }))
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const ascending = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

/** How often transactions were asked for while something ran. */
async function transactionsOf(gate: CloudGate, run: () => Promise<unknown>): Promise<number> {
  const before = gate.calls.length
  await run()
  return gate.calls.slice(before).filter(({ action }) => action === 'TransactWriteItems').length
}

/** Answers in the place of the store while `refuse` says how. */
function refusing(gate: CloudGate, refuse: (action: string, input: object) => object | undefined): Disposable {
  gate.answer = ({ action, input }, forward) => {
    const body = refuse(action, input)
    return body === undefined ? forward() : { status: 400, body }
  }
  return {
    [Symbol.dispose]: () => {
      gate.answer = (_call, forward) => forward()
    },
  }
}

const conflict = {
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
  CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
}
const inTransaction = { __type: 'com.amazonaws.dynamodb.v20120810#TransactionConflictException' }

describe('numbers of a domain', () => {
  test('are given to many processes at once, each one once, without a hole', async () => {
    const domain = aDomain()
    const logs = Array.from({ length: 20 }, () => cloud().aLog())

    const numbers = await Promise.all(
      logs.flatMap((log) => eventsOf(domain, 5).map(async (event) => [event.id, await log.append(event)] as const)),
    )

    expect(ascending(numbers.map(([, number]) => number))).toEqual(upTo(100))
    const kept = await cloud().aLog().latest(domain, 100)
    expect(new Map(kept.map(({ event, sequence }) => [event.id, sequence]))).toEqual(new Map(numbers))
  })

  test('are given to ten events of one process in one transaction', async () => {
    const [domain, { gate, aLog }] = [aDomain(), cloud()]
    const log = aLog()

    const transactions = await transactionsOf(gate, async () => {
      expect(await Promise.all(eventsOf(domain, 10).map((event) => log.append(event)))).toEqual(upTo(10))
    })

    expect(transactions).toBeLessThanOrEqual(2)
  })

  test('stay with the events that have them, when some of those that come together are known', async () => {
    const domain = aDomain()
    const [first, second, third, fourth] = eventsOf(domain, 4)
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
    await cloud().aLog().append(first)
    await cloud().aLog().append(second)
    const log = cloud().aLog()

    const numbers = await Promise.all([third, second, third, fourth, first].map((event) => log.append(event)))

    expect(numbers).toEqual([3, 2, 3, 4, 1])
    expect(await log.head(domain)).toBe(4)
  })

  test('are the newest 5 000: each further one drops the oldest', async () => {
    const [domain, { context, aLog }] = [aDomain(), cloud()]
    const TableName = tableName(context, 'events')
    const loggedAt = context.clock.now()
    await putItem(context, { TableName, Item: { ...headKey(domain), sequence: 4_999, loggedAt } })
    for (const sequence of [1, 2, 3, 4]) {
      const event = anEvent({ domain })
      const Item = { pk: logPartition(domain), sk: numberPart(sequence), sequence, loggedAt, event, expiresAt: 9e9 }
      await putItem(context, { TableName, Item })
    }
    const log = aLog()
    const kept = async () => (await log.read(domain, 0, 10)).map(({ sequence }) => sequence)

    expect(await log.append(anEvent({ domain }))).toBe(5_000)
    expect(await kept()).toEqual([1, 2, 3, 4, 5_000])
    expect(ascending(await Promise.all(eventsOf(domain, 2).map((event) => log.append(event))))).toEqual([5_001, 5_002])

    expect(await kept()).toEqual([3, 4, 5_000, 5_001, 5_002])
  })

  test('are given after a process died whose turn it was', async () => {
    const [domain, { context, aLog }] = [aDomain(), cloud()]
    await aLog().append(anEvent({ domain }))
    await takeTurn(context, domain, 'the dead one')
    const log = aLog()

    const given = log.append(anEvent({ domain }))
    context.clock.move(3_001)

    expect(await given).toBe(2)
  })

  test('are given although transactions meet each other again and again', async () => {
    const [domain, { gate, aLog }] = [aDomain(), cloud()]
    const log = aLog()
    await log.append(anEvent({ domain }))
    let refusals = 12
    using _ = refusing(gate, (action) => {
      if (refusals === 0 || action === 'GetItem') return undefined
      refusals -= 1
      return action === 'TransactWriteItems' ? conflict : inTransaction
    })

    expect(await log.append(anEvent({ domain }))).toBe(2)
    expect(refusals).toBe(0)
  })

  test('are given to the first events of a domain although their transactions meet', async () => {
    const [domain, { gate, aLog }] = [aDomain(), cloud()]
    let refusals = 2
    using _ = refusing(gate, (action) => {
      if (refusals === 0 || action !== 'TransactWriteItems') return undefined
      refusals -= 1
      return conflict
    })

    expect(await aLog().append(anEvent({ domain }))).toBe(1)
  })

  test('are given to all but the one that the store refuses', async () => {
    const [domain, { gate, aLog }] = [aDomain(), cloud()]
    const log = aLog()
    const events = eventsOf(domain, 4)
    using _ = refusing(gate, (_action, input) =>
      JSON.stringify(input).includes(events[2]?.id ?? '') ? { __type: 'ValidationException' } : undefined,
    )

    const ends = await Promise.allSettled(events.map((event) => log.append(event)))

    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    const numbers = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
    expect(ascending(numbers)).toEqual([1, 2, 3])
  })

  test('leave no turn behind when all events are known', async () => {
    const [domain, { context, gate, aLog }] = [aDomain(), cloud()]
    const event = anEvent({ domain })
    await aLog().append(event)
    let refusals = 1
    using _ = refusing(gate, (action) => (action === 'TransactWriteItems' && refusals-- > 0 ? conflict : undefined))

    expect(await aLog().append(event)).toBe(1)

    expect(await takeTurn(context, domain, 'the next one')).toMatchObject({ sequence: 1 })
  })
})
