import { describe, expect, test } from 'vitest'
import { tableName } from '../../adapters/dynamodb/client.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { memoryCallEngine } from '../support/memory/memory-call-engine.ts'
import { memoryCleanupQueue } from '../support/memory/memory-cleanup-queue.ts'
import { memoryEventSink } from '../support/memory/memory-event-sink.ts'
import type { TableName } from '../../contracts/resources.ts'
import { noPrecondition } from '../../core/requests/precondition.ts'
import { cleanUpDomain } from '../../core/domains/cleanup/clean-up-domain.ts'
import { deleteDomain } from '../../core/domains/delete-domain.ts'
import { type CloudGate, type CloudReply, startCloudGate } from '../support/stores/cloud-gate.ts'
import { dump } from '../support/stores/dump.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { type Fill, fillDomain } from '../support/platform/full-domain.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { aDomain, aToken } from '../support/records/records.ts'
import { dynamoStores } from '../support/stores/stores.ts'

const name = 'x.test'
const neighbours = ['x.test.org', 'a.x.test', 'x', 'x-test', 'xx.test']

/** As deployed. */
const graceMs = 120_000

/** The name of a store's write. */
const writes = /^(?:Put|Update|Delete|BatchWrite|TransactWrite)Item/

describe('a deleted domain', () => {
  const cloud = opened(openCloud)

  test('a deleted domain leaves nothing in any store, past every limit of a page, and its neighbours are unchanged', async () => {
    const given = cloud()
    await given.fillNeighbours()
    const before = await given.everything()
    // 120 accounts with 240 numbers; 30 KB each, so that one query's page (1 MiB) does not hold them.
    await given.populate({ accounts: 120, filler: 30_000, deliveries: 60 })

    await given.deleteDomain()
    await given.cleanUp()

    expect(changes(before, await given.everything())).toEqual([])
    expect(await given.stores.domains.create(aDomain({ name }))).toBe(true)
    await given.forget()
  })

  test('a deletion that is interrupted at any write and repeated leaves nothing and affects no other domain', async () => {
    const given = cloud()
    await given.fillNeighbours()
    const before = await given.everything()
    let steps = 0
    for (let isWhole = false; !isWhole; steps += 1) {
      await given.populate()
      const left = given.stopAfter(steps)
      const ended = await given
        .deleteDomain()
        .then(
          () => given.cleanUp().then(() => true),
          () => false,
        )
        .catch(() => false)
      isWhole = ended && left() > 0
      given.resume()

      // Queued messages are delivered again; a deletion without its mark is requested again.
      if ((await given.stores.domains.read(name)) !== undefined) await given.deleteDomain()
      await given.cleanUp()

      expect(changes(before, await given.everything()), `stopped after ${steps} writes`).toEqual([])
    }
    expect(steps).toBeGreaterThan(15)
    await given.forget()
    // One deletion for each write that it is cut short at: on a busy machine these take more than a minute.
  }, 180_000)

  test('a deleted domain is cleaned up in parts when one call has too little time', async () => {
    const given = cloud()
    await given.fillNeighbours()
    const before = await given.everything()
    await given.populate({ accounts: 30 })
    await given.deleteDomain()
    given.clock.move(5000)
    await given.step()
    given.clock.move(200_000)

    const first = await given.step(0)
    expect(first).toBe('queued again')
    expect(await given.stores.domains.exists(name)).toBe(true)
    await given.cleanUp()

    expect(changes(before, await given.everything())).toEqual([])
    await given.forget()
  })

  test("the removal of a deleted domain's hooks is announced to the connectors", async () => {
    const given = cloud()
    await given.populate()
    const version = await given.stores.subscriptions.version()

    await given.deleteDomain()
    await given.cleanUp()

    expect(await given.stores.subscriptions.version()).toBeGreaterThan(version)
    expect((await given.stores.subscriptions.list()).filter(({ domain }) => domain === name)).toEqual([])
    await given.forget()
  })

  test('a deleted domain leaves no record, even if one was written just after its part of the stores was emptied', async () => {
    const given = cloud()
    await given.fillNeighbours()
    const before = await given.everything()
    await given.populate()
    let late: Promise<unknown> | undefined
    given.beforeRemovalFrom('routes', () => (late ??= given.stores.tokens.create(aToken({ domain: name }), 9)))

    await given.deleteDomain()
    await given.cleanUp()

    expect(late).toBeDefined()
    expect(changes(before, await given.everything())).toEqual([])
    await given.forget()
  })

  test('a deleted domain keeps its recordings, with a note of their retention', async () => {
    const given = cloud()
    await given.populate()
    const before = await given.stores.recordings.page(name, 9)

    await given.deleteDomain()
    await given.cleanUp()

    expect(before.length).toBeGreaterThan(0)
    expect(await given.stores.recordings.page(name, 9)).toEqual(before)
    expect(await given.stores.recordings.listLeft(9)).toContainEqual(
      expect.objectContaining({ domain: name, retentionDays: 365 }),
    )
    await given.forget()
  })

  test('a deleted domain is removed completely even if a busy store leaves some writes undone', async () => {
    const given = cloud()
    await given.fillNeighbours()
    const before = await given.everything()
    await given.populate({ accounts: 15 })
    given.leaveUndone(3)

    await given.deleteDomain()
    await given.cleanUp()

    expect(changes(before, await given.everything())).toEqual([])
    await given.forget()
  })
})

/** Items that are only in one of two dumps. */
function changes(before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [new Set(before), new Set(after)]
  return [...before.filter((item) => !now.has(item)), ...after.filter((item) => !old.has(item))]
}

async function openCloud() {
  const server = await startDynamoServer()
  const gate = await startCloudGate({ DynamoDB_20120810: server.endpoint })
  const clock = movableClock()
  const direct = { env: server.env, clock, random: systemRandomness }
  const stores = dynamoStores(direct)
  const ports = {
    ...dynamoStores({ ...direct, env: { ...server.env, ...gate.env } }),
    cleanups: memoryCleanupQueue(),
    engine: memoryCallEngine(),
    events: memoryEventSink(),
  }
  const fillWith = (domain: string, fill?: Fill) => fillDomain(stores, domain, fill)
  const tools = { clock, random: systemRandomness, precondition: noPrecondition, graceMs, reportUnsent: () => {} }
  const step = async (budgetMs = 60_000) => {
    const message = ports.cleanups.queued[0]
    if (message === undefined) return 'done'
    const end = await cleanUpDomain(ports, message, {
      clock,
      graceMs,
      until: clock.now() + budgetMs,
      reportUndone: () => {},
    })
    ports.cleanups.queued.shift()
    return end
  }
  return {
    stores,
    clock,
    step,
    populate: (fill?: Fill) => fillWith(name, fill),
    async fillNeighbours() {
      for (const neighbour of neighbours) await fillWith(neighbour)
    },
    /** Everything but what outlives a domain, and the version that counts changes of all hooks. */
    async everything() {
      const items = await dump(direct, ['commands', 'audit', 'sessions', 'recordings'])
      return items.filter((item) => !item.includes('"pk":"subscriptions"'))
    },
    deleteDomain: () => deleteDomain(ports, name, tools),
    /** Handles what is queued, moving the clock to it, until nothing is. */
    async cleanUp() {
      while (ports.cleanups.queued.length > 0) {
        clock.move((ports.cleanups.queued[0]?.delaySeconds ?? 0) * 1000)
        await step()
      }
    },
    /** Lets some writes through and none after them, as when a process ends there. Answers how many were not used. */
    stopAfter(allowed: number) {
      let left = allowed
      gate.answer = (call, forward) => {
        if (!writes.test(call.action) && left >= 0) return forward()
        left -= 1
        return left >= 0 ? forward() : refusal
      }
      return () => left
    },
    /** Runs something each time that items of a table are about to be removed. */
    beforeRemovalFrom(table: TableName, run: () => Promise<unknown>) {
      gate.answer = async (call, forward) => {
        const touched = Object.keys(Object(call.input['RequestItems']))
        if (call.action === 'BatchWriteItem' && touched.includes(tableName(direct, table))) await run()
        return forward()
      }
    },
    leaveUndone(times: number) {
      leaveUndone(gate, times)
    },
    resume() {
      gate.answer = (_call, forward) => forward()
    },
    /** Leaves an empty store to the next test. */
    async forget() {
      gate.answer = (_call, forward) => forward()
      ports.cleanups.queued.length = 0
      for (const domain of [name, ...neighbours]) {
        await stores.domains.beginDeletion(domain, 0)
        await stores.tenantData.purge(domain, Number.MAX_SAFE_INTEGER)
        await stores.domains.endDeletion(domain)
      }
    },
    async close() {
      await gate.close()
      await server.close()
    },
  }
}

/** A refusal that the client does not try again. */
const refusal: CloudReply = {
  status: 400,
  body: { __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException', message: 'stopped by the test' },
}

/** Writes but the first item of the next batches, and says so. */
function leaveUndone(gate: CloudGate, times: number): void {
  let left = times
  gate.answer = async (call, forward) => {
    if (call.action !== 'BatchWriteItem' || left === 0) return forward()
    left -= 1
    const [[table, requests] = ['', []]] = Object.entries(call.input['RequestItems'] as Record<string, unknown[]>)
    const reply = await forward({ RequestItems: { [table]: requests.slice(0, 1) } })
    if (reply === 'lost' || requests.length === 1) return reply
    return { status: 200, body: { UnprocessedItems: { [table]: requests.slice(1) } } }
  }
}
