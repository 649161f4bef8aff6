import { afterEach, expect, test } from 'vitest'
import { type SimulatorHarness, simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { replay } from '../../support/engine/engine-replay.ts'
import { fromJson, shapesOf } from '../../support/engine/engine-shape.ts'

let harness: SimulatorHarness
afterEach(() => harness.close())

/**
 * The questions to an idle engine that the simulated one answers; the rest of the recording belongs to other modules.
 */
const simulated =
  /^(auth|api (status|version|hostname|switchname|uptime|reloadxml|show (status|channels)|global_getvar hostname))/

test('an idle simulated engine answers list commands as recorded', async () => {
  harness = await simulatorHarness()

  const exchanges = (await replay(harness, 'api/idle')).filter(({ sent }) => simulated.test(sent))

  expect(exchanges).toHaveLength(16)
  for (const { sent, recorded, answered } of exchanges) {
    if (sent.startsWith('api uptime')) expect(answered[0]?.body).toMatch(/^\d+\n$/)
    else expect(shapesOf(answered), sent).toEqual(shapesOf(recorded))
  }
})

test('a row of a bridged call has the recorded columns and values', async () => {
  harness = await simulatorHarness({ phoneBehaviour: () => ({ kind: 'answer', afterMs: 300 }) })
  const client = await harness.login()
  await client.command('api originate user/1002@tenant1.example.com &bridge(user/1003@tenant1.example.com)')
  await harness.time.advance(1_000)

  const { body } = await client.command('api show channels like 1002 as json')

  const recorded = await recordedRows()
  const rows = rowsOf(body)
  expect(rows.map((row) => Object.keys(row))).toEqual(recorded.map((row) => Object.keys(row)))
  expect(rows.map(comparable)).toEqual(recorded.map(comparable))
})

test('the dump of a live channel has the recorded headers', async () => {
  harness = await simulatorHarness()
  const client = await harness.login()
  const { body } = await client.command(
    'api originate {ignore_early_media=true}user/1001@tenant1.example.com 9196 XML tenant1.example.com',
  )

  const dump = await client.command(`api uuid_dump ${body.slice(4).trim()} json`)

  const recorded = (await replay(harness, 'api/active')).find(({ sent }) => /^api uuid_dump \S+ json/.test(sent))
  const names = (text = '') =>
    fromJson(text)
      .pairs.map(([name]) => name)
      .toSorted()
  expect(names(dump.body)).toEqual(names(recorded?.recorded[0]?.body))
})

type Row = Readonly<Record<string, string>>

async function recordedRows(): Promise<Row[]> {
  const exchanges = await replay(harness, 'api/active')
  const list = exchanges.find(({ sent }) => sent.startsWith('api show channels like 1002 as json'))
  return rowsOf(list?.recorded[0]?.body ?? '')
}

function rowsOf(text: string): Row[] {
  const list: { readonly rows: Row[] } = JSON.parse(text)
  return list.rows
}

/** A row without identifiers, times and ports. */
function comparable(row: Row): Row {
  const kept = Object.entries(row).filter(([name]) => !['uuid', 'call_uuid', 'created', 'created_epoch'].includes(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, value.replace(/@127\.0\.0\.1:\d+$/, '@<address>')]))
}
