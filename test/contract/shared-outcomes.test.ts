/** Long outcomes in DynamoDB: what a hundred who poll the list of calls cost, and who is given what. */
import { expect, test, vi } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { dynamoCommandStore } from '../../adapters/dynamodb/calls/dynamo-command-store.ts'
import { channelFields } from '../../contracts/routes/channels.ts'
import { listChannels } from '../../core/channels/list-channels.ts'
import type { CommandOutcome, CommandRecord, CommandScope } from '../../core/commands/commands.ts'
import type { CommandStore } from '../../core/commands/command-store.ts'
import { aCaller } from '../support/platform/caller.ts'
import { startCloudGate } from '../support/stores/cloud-gate.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { manyChannels } from '../support/engine/many-channels.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { aCommandRecord } from '../support/records/records.ts'

const cloud = opened(async () => {
  const dynamo = await startDynamoServer()
  const gate = await startCloudGate({ DynamoDB_20120810: dynamo.endpoint })
  const clock = movableClock()
  const context = { env: { ...dynamo.env, ...gate.env }, clock, random: systemRandomness }
  return {
    gate,
    clock,
    /** The store as another process has it. */
    process: () => dynamoCommandStore(context),
    close: async () => {
      await gate.close()
      await dynamo.close()
    },
  }
})

const own: CommandScope = { domain: 'a.example.com', presenceId: null }
const everything: CommandScope = { domain: null, presenceId: null }

/** A list as a connector stores it, the same text for all callers. */
function aList(count = 5_000): CommandOutcome {
  const rows = manyChannels(count).map((row) =>
    Object.fromEntries(channelFields.map((name) => [name, Reflect.get(row, name)])),
  )
  return { state: 'done', text: JSON.stringify({ row_count: count, rows }) }
}

async function polled(store: CommandStore, scope: CommandScope, count: number): Promise<CommandRecord[]> {
  const deadlineAt = cloud().clock.now() + 8_000
  const records = Array.from({ length: count }, () =>
    aCommandRecord({ scope, command: { kind: 'list-channels' }, deadlineAt }),
  )
  await inTens(records, (record) => store.create(record))
  return records
}

const completeAll = (store: CommandStore, records: readonly CommandRecord[], outcome: CommandOutcome) =>
  inTens(records, ({ id, scope }) => store.complete(id, { ...outcome }, scope))

/** Does something for ten records at a time, as many as a connector takes at once. */
async function inTens<T>(records: readonly CommandRecord[], work: (record: CommandRecord) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let at = 0; at < records.length; at += 10) {
    results.push(...(await Promise.all(records.slice(at, at + 10).map(work))))
  }
  return results
}

/** The items of parts that were put, and the queries that read them. */
const partsPut = () =>
  cloud().gate.calls.filter(({ action, input }) => action === 'PutItem' && 'bytes' in itemOf(input))
const readings = () => cloud().gate.calls.filter(({ action }) => action === 'Query')
const itemOf = (input: Readonly<Record<string, unknown>>) => Object(input['Item'])

test('a hundred outcomes that share one channel list store the list once, and a reading process parses it once', async () => {
  const { process } = cloud()
  const [connector, endpoint] = [process(), process()]
  const records = await polled(connector, own, 100)
  const outcome = aList()
  cloud().gate.calls.length = 0

  await completeAll(connector, records, outcome)
  const written = partsPut()
  const parse = vi.spyOn(JSON, 'parse')
  const lists = await inTens(records, ({ id }) =>
    listChannels(
      { run: async () => (await endpoint.read(id))?.outcome },
      { caller: aCaller(), domain: 'a.example.com', scope: 'all' },
      {},
      channelFields,
    ),
  )
  // Two: what was unpacked, and the rows in it.
  const parsed = parse.mock.calls.filter(([text]) => text.length > 1_000_000).length
  parse.mockRestore()

  expect(lists.map((list) => list.length)).toEqual(records.map(() => 5_000))
  expect(written.length).toBe(2)
  expect(readings().length).toBe(1)
  expect(parsed).toBe(2)
})

test('a caller of another scope gets a stored list of its own, even if the text is equal', async () => {
  const { process } = cloud()
  const [connector, endpoint] = [process(), process()]
  const outcome = aList(600)
  const [one, other] = [await polled(connector, own, 2), await polled(connector, everything, 2)]
  cloud().gate.calls.length = 0

  await completeAll(connector, [...one, ...other], outcome)

  expect(partsPut().length).toBe(2)
  expect(new Set(partsPut().map(({ input }) => itemOf(input).pk.S)).size).toBe(2)
  const read = await Promise.all([...one, ...other].map(({ id }) => endpoint.read(id)))
  expect(read.map((record) => record?.outcome)).toEqual([outcome, outcome, outcome, outcome])
  expect(read[0]?.outcome).toBe(read[1]?.outcome)
  expect(read[0]?.outcome).not.toBe(read[2]?.outcome)
})

test('a command record that refers to the stored list of another scope has no outcome', async () => {
  const { process, gate } = cloud()
  const [connector, endpoint] = [process(), process()]
  const [theirs] = await polled(connector, { domain: 'b.example.com', presenceId: null }, 1)
  const [mine] = await polled(connector, own, 1)
  if (theirs === undefined || mine === undefined) throw new Error('two records')
  await completeAll(connector, [theirs], aList(600))
  expect((await endpoint.read(theirs.id))?.outcome?.state).toBe('done')
  gate.answer = async ({ action, input }, forward) => {
    if (action !== 'GetItem') return forward()
    const read = await forward({ ...input, Key: { pk: { S: theirs.id }, sk: { S: 'command' } } })
    if (read === 'lost' || typeof read.body !== 'object') return read
    const { Item: item } = Object(read.body)
    const scope = { M: { domain: { S: 'a.example.com' }, presenceId: { NULL: true } } }
    return { ...read, body: { Item: { ...item, scope } } }
  }

  const reading = endpoint.read(mine.id)

  await expect(reading).rejects.toMatchObject({ code: 'internal_error' })
  gate.answer = (_call, forward) => forward()
})

test('new outcomes refer to a stored list for a minute, and the list is kept for longer than any caller waits', async () => {
  const { process, clock } = cloud()
  const connector = process()
  const outcome = aList(600)
  const [first] = await polled(connector, own, 1)
  if (first === undefined) throw new Error('a record')
  cloud().gate.calls.length = 0
  await completeAll(connector, [first], outcome)

  clock.move(59_999)
  const [late] = await polled(connector, own, 1)
  if (late === undefined) throw new Error('a record')
  await completeAll(connector, [late], outcome)
  const [set, ...others] = partsPut()
  clock.move(1)
  const after = await polled(connector, own, 1)
  await completeAll(connector, after, outcome)

  expect(others).toEqual([])
  expect(Number(itemOf(set?.input ?? {}).expiresAt.N) * 1_000).toBeGreaterThan(late.deadlineAt + 10 * 60_000)
  expect(partsPut().length).toBe(2)
  expect((await process().read(late.id))?.outcome).toEqual(outcome)
})

test('a list that could not be stored is stored by the next connector that completes a command with it', async () => {
  const { process, gate } = cloud()
  const connector = process()
  const outcome = aList(600)
  const records = await polled(connector, own, 2)
  gate.answer = ({ action, input }, forward) =>
    action === 'PutItem' && 'bytes' in itemOf(input) ? { status: 400, body: { __type: 'Refused' } } : forward()
  await expect(completeAll(connector, records, outcome)).rejects.toMatchObject({ code: 'internal_error' })
  gate.answer = (_call, forward) => forward()

  await completeAll(connector, records, outcome)

  const read = await Promise.all(records.map(({ id }) => process().read(id)))
  expect(read.map((record) => record?.outcome)).toEqual([outcome, outcome])
})

test('parts of a stored list that the first read misses are read once more, with a consistent read', async () => {
  const { process, gate } = cloud()
  const connector = process()
  const outcome = aList(600)
  const [record] = await polled(connector, own, 1)
  if (record === undefined) throw new Error('a record')
  await completeAll(connector, [record], outcome)
  gate.answer = ({ action, input }, forward) =>
    action === 'Query' && input['ConsistentRead'] !== true ? { status: 200, body: { Items: [], Count: 0 } } : forward()

  expect((await process().read(record.id))?.outcome).toEqual(outcome)
  gate.answer = (_call, forward) => forward()
})
