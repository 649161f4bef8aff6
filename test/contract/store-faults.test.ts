import { describe, expect, test } from 'vitest'
import { deleteItem, getItem, putItem, tableName, updateItem } from '../../adapters/dynamodb/client.ts'
import { toDeliveryItem } from '../../adapters/dynamodb/hooks/delivery-item.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import type { CloudGate, CloudReply } from '../support/stores/cloud-gate.ts'
import { startCloudGate } from '../support/stores/cloud-gate.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import {
  aCommandRecord,
  aDelivery,
  aDomain,
  aGatewayState,
  aHook,
  aPresence,
  aRecording,
  aToken,
  anAccount,
} from '../support/records/records.ts'
import { dynamoStores } from '../support/stores/stores.ts'

const fault = (type: string, extra: object = {}): CloudReply => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'thrown by the test', ...extra },
})

const conflict = fault('TransactionCanceledException', {
  CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }, { Code: 'None' }],
})

describe('DynamoDB with faults', () => {
  const cloud = opened(openCloud)

  describe('a write that was done but whose answer was lost counts as done, and is done once', () => {
    test('a new domain is created once although the response to the write was lost', async () => {
      const { stores, gate } = cloud()
      loseAnswers(gate, 'PutItem', 1)

      expect(await stores.domains.create(aDomain({ name: 'lost.test' }))).toBe(true)
      expect(await stores.domains.create(aDomain({ name: 'lost.test' }))).toBe(false)
    })

    test('a new account is counted once although the response to the write was lost', async () => {
      const { stores, gate } = cloud()
      await stores.domains.create(aDomain({ name: 'lost-account.test' }))
      loseAnswers(gate, 'TransactWriteItems', 2)

      expect(await stores.accounts.create(anAccount({ domain: 'lost-account.test' }), 9)).toBe('created')
      expect((await stores.domains.read('lost-account.test'))?.accountCount).toBe(1)
    })

    test('a removed account is counted off once although the response to the write was lost', async () => {
      const { stores, gate } = cloud()
      const accounts = ['1000', '1001'].map((login) => anAccount({ domain: 'lost-removal.test', login }))
      await stores.domains.create(aDomain({ name: 'lost-removal.test' }))
      for (const account of accounts) await stores.accounts.create(account, 9)
      loseAnswers(gate, 'TransactWriteItems', 1)

      expect(await stores.accounts.remove(anAccount({ domain: 'lost-removal.test' }))).toBe(true)
      expect((await stores.domains.read('lost-removal.test'))?.accountCount).toBe(1)
    })

    test('created hooks are counted once although the response to the write was lost', async () => {
      const { stores, gate } = cloud()
      const before = await stores.subscriptions.version()
      loseAnswers(gate, 'TransactWriteItems', 1)

      expect(await stores.hooks.create([aHook({ domain: 'lost-hook.test' })], 2)).toBe(true)
      expect(await stores.subscriptions.version()).toBe(before + 1)
      expect(await stores.hooks.create([aHook({ domain: 'lost-hook.test' })], 2)).toBe(true)
    })

    test('a claim is held by one connector although the response to the write was lost', async () => {
      const { stores, gate } = cloud()
      const record = aCommandRecord()
      await stores.commands.create(record)
      loseAnswers(gate, 'UpdateItem', 1)

      expect(await stores.commands.claim(record.id, 'connector-1')).toBe(true)
      expect(await stores.commands.claim(record.id, 'connector-1')).toBe(false)
    })

    test.each([{ state: 'pending', nextAttemptAt: 9 }, { state: 'delivered' }, { state: 'failed' }] as const)(
      'an attempt after which the delivery is $state',
      async (end) => {
        const { stores, gate } = cloud()
        const delivery = aDelivery()
        await stores.deliveries.create(delivery)
        loseAnswers(gate, 'UpdateItem', 1)
        expect(await stores.deliveries.beginAttempt(delivery, 'run', 1)).toBe(true)
        loseAnswers(gate, 'UpdateItem', 1)

        const attempt = { at: 1, durationMs: 1 }
        expect(await stores.deliveries.recordAttempt(delivery, { run: 'run', attempt, ...end })).toBe('decided')
        const stored = await stores.deliveries.read(delivery.domain, delivery.hookId, delivery.id)
        expect(stored).toMatchObject({ ...end, attempts: [attempt], begun: {} })
      },
    )

    test('an attempt is recorded once although the response to the write was lost', async () => {
      const { stores, gate } = cloud()
      const delivery = aDelivery()
      await stores.deliveries.create(delivery)
      const attempt = { at: 1, durationMs: 1 }
      for (const run of ['first', 'second']) await stores.deliveries.beginAttempt(delivery, run, 1)
      await stores.deliveries.recordAttempt(delivery, { run: 'first', attempt, state: 'failed' })
      loseAnswers(gate, 'UpdateItem', 2)

      const end = { run: 'second', attempt: { at: 2, durationMs: 2 }, state: 'failed' } as const
      expect(await stores.deliveries.recordAttempt(delivery, end)).toBe('added')
      const stored = await stores.deliveries.read(delivery.domain, delivery.hookId, delivery.id)
      expect(stored?.attempts).toEqual([attempt, end.attempt])
    })

    test('rescheduling and reopening a delivery take effect once although the responses to the writes were lost', async () => {
      const { stores, gate } = cloud()
      const delivery = aDelivery()
      await stores.deliveries.create(delivery)
      loseAnswers(gate, 'UpdateItem', 1)
      expect(await stores.deliveries.reschedule(delivery, 5)).toBe(true)
      await stores.deliveries.recordAttempt(delivery, { attempt: { at: 1, durationMs: 1 }, state: 'failed' })
      loseAnswers(gate, 'UpdateItem', 1)

      expect(await stores.deliveries.reopen({ ...delivery, tries: 1 }, 7)).toMatchObject({
        state: 'pending',
        nextAttemptAt: 7,
      })
    })

    test('a failure of a hook is counted once although the response to the write was lost', async () => {
      const { stores, gate } = cloud()
      const hook = aHook()
      await stores.hooks.create([hook], 100)
      loseAnswers(gate, 'UpdateItem', 1)

      expect(await stores.hooks.countFailure(hook.domain, hook.id, { delivery: 'd', at: 1 })).toMatchObject({
        failures: 1,
      })
    })
  })

  test('a transaction that conflicts with another one is retried until it succeeds', async () => {
    const { stores, gate } = cloud()
    await stores.domains.create(aDomain({ name: 'conflict.test' }))
    answerTimes(gate, 3, conflict)

    expect(await stores.accounts.create(anAccount({ domain: 'conflict.test' }), 9)).toBe('created')
  })

  test('a write of one item that is locked by a transaction is retried until it succeeds', async () => {
    const { context, gate } = cloud()
    const held = fault('TransactionConflictException')
    const TableName = tableName(context, 'tokens')
    const Key = { pk: 'held', sk: 'held' }

    answerTimes(gate, 3, held)
    await putItem(context, { TableName, Item: Key })
    answerTimes(gate, 3, held)
    const changed = await updateItem(context, {
      TableName,
      Key,
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: { ':a': 1 },
      ReturnValues: 'ALL_NEW',
    })
    answerTimes(gate, 3, held)
    await deleteItem(context, { TableName, Key })

    expect(changed).toEqual({ ...Key, a: 1 })
    expect(await getItem(context, TableName, Key)).toBeUndefined()
  })

  test('a transaction whose earlier attempt is still under way is retried until it succeeds', async () => {
    const { stores, gate } = cloud()
    await stores.domains.create(aDomain({ name: 'progress.test' }))
    answerTimes(gate, 3, fault('TransactionInProgressException'))

    expect(await stores.accounts.create(anAccount({ domain: 'progress.test' }), 9)).toBe('created')
  })

  test('a transaction that always conflicts is tried six times and no more', async () => {
    const { stores, gate } = cloud()
    gate.answer = () => conflict
    gate.calls.length = 0

    await expect(stores.accounts.create(anAccount({ domain: 'crowded.test' }), 9)).rejects.toMatchObject({
      code: 'store_unavailable',
    })

    expect(gate.calls).toHaveLength(6)
  })

  test('a read of a credential that conflicts with a write of its domain is retried', async () => {
    const { stores, gate } = cloud()
    const token = aToken({ domain: 'conflict-read.test' })
    await stores.tokens.create(token, 9)
    answerTimes(gate, 2, conflict)

    expect((await stores.credentials.read(token)).token).toEqual(token)
  })

  test('a number that moves to another account between the two reads of a lookup does not return its old account', async () => {
    const { stores, gate } = cloud()
    const account = anAccount({ domain: 'moving.test', numbers: ['7'] })
    await stores.domains.create(aDomain({ name: 'moving.test' }))
    await stores.accounts.create(account, 9)
    gate.answer = async (_call, forward) => {
      const reply = await forward()
      gate.answer = (_next, forward) => forward()
      await stores.accounts.update({ ...account, numbers: ['8'], version: 2 }, account)
      return reply
    }

    expect(await stores.accounts.readByNumber('moving.test', '7')).toBeUndefined()
  })

  test.each([
    ['throttles', fault('ProvisionedThroughputExceededException')],
    ['throttles in its newer words', fault('ThrottlingException')],
    ['fails', { status: 500, body: { __type: 'InternalServerError' } }],
    ['is away', 'lost'],
    ['lets transactions meet for ever', conflict],
  ] as [string, CloudReply][])(
    'a store that %s for long is reported as unavailable, with a time to wait',
    async (_, reply) => {
      const { stores, gate } = cloud()
      gate.answer = () => reply

      const creation = stores.accounts.create(anAccount({ domain: 'away.test' }), 9)

      await expect(creation).rejects.toMatchObject({
        name: 'DomainError',
        code: 'store_unavailable',
        retryAfterSeconds: 2,
      })
    },
  )

  test('a throttled read is retried a few times and no more', async () => {
    const { stores, gate } = cloud()
    gate.answer = () => fault('ThrottlingException')
    gate.calls.length = 0

    await expect(stores.domains.read('any.test')).rejects.toMatchObject({ code: 'store_unavailable' })

    expect(gate.calls).toHaveLength(3)
  })

  test.each(['AccessDeniedException', 'ValidationException', 'ResourceNotFoundException'])(
    'a refusal of the kind %s is a fault of the service itself and is not tried again',
    async (type) => {
      const { stores, gate } = cloud()
      gate.answer = () => fault(type)
      gate.calls.length = 0

      await expect(stores.domains.read('any.test')).rejects.toMatchObject({
        name: 'DomainError',
        code: 'internal_error',
      })

      expect(gate.calls).toHaveLength(1)
    },
  )

  test('a stored item of an unexpected form is an internal error, not a partial record', async () => {
    const { stores, context } = cloud()
    const Item = { pk: 'odd.test', sk: 'domain', name: 'odd.test' }
    await putItem(context, { TableName: tableName(context, 'domains'), Item })

    await expect(stores.domains.read('odd.test')).rejects.toMatchObject({ name: 'DomainError', code: 'internal_error' })
  })

  test.each([
    ['a batch of reads', 'BatchGetItem'],
    ['a batch of writes and removals', 'BatchWriteItem'],
  ])('what a busy store leaves undone of %s is done by further requests', async (_what, action) => {
    const { stores, gate } = cloud()
    const [domain, uuids] = ['undone.test', Array.from({ length: 9 }, (_, index) => `leg-${index}`)]
    const states = uuids.map((name) => aGatewayState({ domain, name }))
    const legs = uuids.map((uuid) => ({ domain, uuid }))
    for (const uuid of uuids) await stores.recordings.expect(aRecording({ domain, uuid }))
    leaveUndone(gate, action)

    const found = await stores.recordings.listRecorded(legs)
    await stores.gatewayStates.put(states)
    const kept = await stores.gatewayStates.list(domain)
    await stores.gatewayStates.remove(states)

    expect(found.map(({ uuid }) => uuid).toSorted()).toEqual(uuids)
    expect([kept.length, await stores.gatewayStates.list(domain)]).toEqual([uuids.length, []])
  })

  test('a sweep whose time is over says that it is not finished, and the next one tells connectors when it is', async () => {
    const { stores, context } = cloud()
    const domain = 'swept-slowly.test'
    for (const login of ['1', '2']) await stores.presence.put(aPresence({ domain, login, contacts: [] }))
    await stores.hooks.create([aHook({ domain })], 2)
    const entry = { id: 'f'.repeat(24), domain, list: 'spam', number: '1', createdAt: 0 }
    await stores.blacklists.add(entry, { entries: 9, lists: 9 })
    await stores.blacklists.removeList(domain, 'spam')
    const version = await stores.subscriptions.version()
    const now = context.clock.now()

    expect([await stores.blacklists.sweep(domain, now), await stores.tenantData.purge(domain, now)]).toEqual([
      false,
      false,
    ])
    expect([await stores.hooks.list(domain), await stores.subscriptions.version()]).toMatchObject([
      [{ domain }],
      version,
    ])

    expect([await stores.blacklists.sweep(domain, now + 1), await stores.tenantData.purge(domain, now + 1)]).toEqual([
      true,
      true,
    ])
    expect(await stores.hooks.list(domain)).toEqual([])
    expect(await stores.subscriptions.version()).toBeGreaterThan(version)
  })

  test('a malformed delivery does not prevent finding the overdue deliveries of other tenants', async () => {
    const { stores, context } = cloud()
    const good = Array.from({ length: 4 }, () => aDelivery({ nextAttemptAt: 5 }))
    for (const delivery of good) await stores.deliveries.create(delivery)
    for (const broken of Array.from({ length: 4 }, () => aDelivery({ nextAttemptAt: 5 }))) {
      const Item = { ...toDeliveryItem(broken), attempts: 'none' }
      await putItem(context, { TableName: tableName(context, 'deliveries'), Item })
    }

    const first = await stores.deliveries.listDue(6, 3)
    const second = await stores.deliveries.listDue(6, 3, first.deliveries.at(-1))

    const found = [...first.deliveries, ...second.deliveries].map(({ id }) => id)
    expect(new Set(found)).toEqual(new Set(good.map(({ id }) => id)))
    expect(new Set([...first.unreadable, ...second.unreadable]).size).toBe(4)
  })

  async function openCloud() {
    const server = await startDynamoServer()
    const gate = await startCloudGate({ DynamoDB_20120810: server.endpoint })
    const context = { env: { ...server.env, ...gate.env }, clock: movableClock(), random: systemRandomness }
    return {
      gate,
      context,
      get stores() {
        gate.answer = (_call, forward) => forward()
        return dynamoStores(context)
      },
      async close() {
        await gate.close()
        await server.close()
      },
    }
  }
})

/** Lets the next calls of an action be done and their answers be lost. */
function loseAnswers(gate: CloudGate, action: string, times: number): void {
  let left = times
  gate.answer = async (call, forward) => {
    const reply = await forward()
    if (call.action !== action || left === 0) return reply
    left -= 1
    return 'lost'
  }
}

/** Has the store do half of each batch, and say so. */
function leaveUndone(gate: CloudGate, action: string): void {
  gate.answer = async (call, forward) => {
    if (call.action !== action) return forward()
    const requests = Object.entries(
      Object(call.input['RequestItems']) as Record<string, unknown[] | { Keys: unknown[] }>,
    )
    const [[table, asked] = ['', []]] = requests
    const all = 'Keys' in asked ? asked.Keys : asked
    const of = (items: unknown[]) => ({ [table]: 'Keys' in asked ? { ...asked, Keys: items } : items })
    const half = Math.ceil(all.length / 2)
    const reply = await forward({ RequestItems: of(all.slice(0, half)) })
    if (reply === 'lost' || half === all.length) return reply
    const left = of(all.slice(half))
    return { status: reply.status, body: { ...Object(reply.body), UnprocessedKeys: left, UnprocessedItems: left } }
  }
}

/** Answers the next calls in place of the store. */
function answerTimes(gate: CloudGate, times: number, reply: CloudReply): void {
  let left = times
  gate.answer = (_call, forward) => {
    if (left === 0) return forward()
    left -= 1
    return reply
  }
}
