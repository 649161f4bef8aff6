/**
 * The list of calls at 5 000 live channels: whole on its way from the engine's socket to the record, and cheap to many.
 */
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { packOutcome, unpackOutcome } from '../../../adapters/dynamodb/calls/command-outcome.ts'
import { channelFields } from '../../../contracts/routes/channels.ts'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import { type ScriptedEngine, jsonRows, startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { manyChannels } from '../../support/engine/many-channels.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.close()
})

/** Channels that an engine lists; it counts how often it was asked. */
function lists(engine: ScriptedEngine, rows: readonly Readonly<Record<string, string>>[]) {
  const text = jsonRows(rows)
  engine.answer = (command) => (command === 'show channels as json' ? text : jsonRows([]))
}

const readings = ({ asked }: ScriptedEngine) => asked.filter((command) => command === 'show channels as json').length

/** A connector on engines that hold these channels; what belongs to the start is over. */
async function aConnectorOn(...channels: readonly (readonly Readonly<Record<string, string>>[])[]) {
  const engines: ScriptedEngine[] = []
  for (const rows of channels) {
    const engine = await startScriptedEngine()
    lists(engine, rows)
    engines.push(engine)
  }
  opened.push(...engines)
  const running = await aRunningConnector(engines.map(({ port }) => ({ host: '127.0.0.1', port, password: 'ClueCon' })))
  opened.push({ close: () => running.stop() })
  await running.until(() => running.connector.health().status === 'OK')
  const startedAt = running.time.clock.now()
  await running.until(() => running.time.clock.now() > startedAt + 45_000)
  return { ...running, engines }
}

const rowsOf = (outcome: CommandOutcome | undefined): Record<string, string>[] =>
  outcome?.state === 'done' ? JSON.parse(outcome.text).rows : []

describe('5 000 channels', () => {
  test('the 5 000 channels of two engines are listed whole, each with every field, in order, and separated by domain', async () => {
    const channels = manyChannels(5_000)
    const { run } = await aConnectorOn(channels.slice(0, 2_000), channels.slice(2_000))

    const everything = await run({ kind: 'list-channels' }, { domain: null, presenceId: null })
    const own = await run({ kind: 'list-channels' }, { domain: 'a.example.com', presenceId: null })

    const rows = rowsOf(everything)
    expect(new Set(rows.map(({ uuid }) => uuid))).toEqual(new Set(channels.map(({ uuid }) => uuid)))
    expect(rows).toHaveLength(5_000)
    expect(rows.every((row) => Object.keys(row).join() === channelFields.join())).toBe(true)
    const keys = rows.map(({ created_epoch: epoch, uuid }) => `${epoch} ${uuid}`)
    expect(keys).toEqual(keys.toSorted())
    expect(rowsOf(own)).toEqual(rows.filter(({ context }) => context === 'a.example.com'))
    expect(rowsOf(own).length).toBeGreaterThan(1_000)
  })

  test('a list of 5 000 channels is stored in parts of a few hundred kilobytes and read back byte for byte', async () => {
    const { run } = await aConnectorOn(manyChannels(5_000))
    const outcome = await run({ kind: 'list-channels' }, { domain: null, presenceId: null })
    if (outcome?.state !== 'done') throw new Error('no list')

    const parts = await packOutcome(outcome)

    expect(outcome.text.length).toBeGreaterThan(4_000_000)
    expect(parts?.every((part) => part.byteLength <= 350 * 1024)).toBe(true)
    expect(await unpackOutcome(parts ?? [])).toEqual(outcome)
    expect(await packOutcome({ ...outcome })).toBe(parts)
  })
})

describe('a hundred dashboards', () => {
  const domains = ['a.example.com', 'b.example.com', null]

  test('a hundred dashboards that poll together cost one reading of each engine', async () => {
    const { engines, post, outcome, atOnce } = await aConnectorOn(manyChannels(300), manyChannels(300))
    const before = engines.map(readings)

    const polls = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        post({ kind: 'list-channels' }, { domain: domains[index % 3] ?? null, presenceId: null }),
      ),
    )
    await atOnce(async () => (await Promise.all(polls.map(outcome))).every((ended) => ended !== undefined))

    expect((await Promise.all(polls.map(outcome))).map((ended) => ended?.state)).toEqual(polls.map(() => 'done'))
    expect(engines.map((engine, index) => readings(engine) - (before[index] ?? 0))).toEqual([1, 1])
  })

  test('a hundred dashboards that poll every second for ten seconds, while calls change all the time, cost at most five readings a second', async () => {
    const { engines, post, outcome, until, time } = await aConnectorOn(manyChannels(300))
    const [engine] = engines
    if (engine === undefined) throw new Error('one engine')
    const [before, startedAt] = [readings(engine), time.clock.now()]

    for (let second = 0; second < 10; second += 1) {
      const polls = await Promise.all(
        Array.from({ length: 100 }, (_, index) => {
          if (index % 10 === 0) {
            engine.emit({
              'Event-Name': 'CHANNEL_CREATE',
              'Unique-ID': randomUUID(),
              'Caller-Context': 'a.example.com',
              'Channel-Call-State': 'RINGING',
            })
          }
          return post({ kind: 'list-channels' }, { domain: domains[index % 3] ?? null, presenceId: null })
        }),
      )
      await until(async () => (await Promise.all(polls.map(outcome))).every((ended) => ended !== undefined))
      await until(() => time.clock.now() >= startedAt + (second + 1) * 1_000)
    }

    const tookSeconds = (time.clock.now() - startedAt) / 1_000
    expect(readings(engine) - before).toBeLessThanOrEqual(5 * tookSeconds + 1)
  })
})
