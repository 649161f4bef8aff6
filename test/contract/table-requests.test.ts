import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Exercise, exercises, unseen } from '../support/stores/cloud-exercises.ts'
import { cloudAnswer, openCloud } from '../support/stores/open-cloud.ts'
import { opened } from '../support/processes/opened.ts'
import { branches } from '../support/stores/table-branches.ts'
import { tableRequests } from '../support/stores/table-requests.ts'

/**
 * The embedded store reads consistently whatever it is asked, and most tests meet one condition of a write at a time.
 * So the requests themselves are judged: test/fixtures/table-requests.txt holds, for each method, what it asks of
 * DynamoDB. A change of an adapter that changes a line there is to be made by hand, with the reason in mind.
 */
const stated = readStated(readFileSync('test/fixtures/table-requests.txt', 'utf8'))

/** The reads that may be answered from a copy that lags, and why no decision hangs on them. */
const eventual = {
  'commands by keys-by-state':
    'An index has no consistent reads. Claims of lost connectors are looked for again and again.',
  'deliveries by keys-by-state': 'An index has no consistent reads. What is overdue is found by the next search.',
  'knownCalls by keys-by-state':
    'An index has no consistent reads. Calls are proven at their engine before they are used.',
  'recordings by keys-by-state': 'An index has no consistent reads. Each record is read again before it is changed.',
  'commands where pk = :pk AND begins_with(sk, :sk)':
    'Parts of a long outcome never change; where one is missing, all are read again, consistently.',
}

interface Case {
  readonly title: string
  readonly first?: Exercise
  readonly run: Exercise
}

const methods: readonly Case[] = Object.entries(exercises).flatMap(([port, ofPort]) =>
  Object.entries(ofPort as Readonly<Record<string, Omit<Case, 'title'>>>).map(([method, exercise]) =>
    Object.assign({ title: `${port}.${method}` }, exercise),
  ),
)
const cases = [...methods, ...branches]

describe('each method of each store asks DynamoDB for what test/fixtures/table-requests.txt states', () => {
  const cloud = opened(openCloud)

  it.each(cases)('the requests of $title to DynamoDB are as stated', async ({ title, first, run }) => {
    const { ports, gate, variables } = cloud()
    gate.answer = cloudAnswer
    await first?.(ports, gate)
    gate.calls.length = 0

    await run(ports, gate)

    const seen = gate.calls.filter((call) => !unseen.has(call)).flatMap((call) => tableRequests(call, variables))
    expect([...new Set(seen)]).toEqual(stated.get(title) ?? [])
  })
})

it('every method in the file of stated requests belongs to a test case', () => {
  const titles = new Set(cases.map(({ title }) => title))

  expect([...stated.keys()].filter((title) => !titles.has(title))).toEqual([])
})

it('a read of a table is consistent unless it is on the list of those that need not be', () => {
  const reads = [...stated.values()].flat().filter((line) => line.includes(' eventual'))
  const known = Object.keys(eventual)

  const kinds = reads.map(
    (line) => known.find((kind) => line.replace(' eventual', '').startsWith(`Query ${kind}`)) ?? line,
  )
  expect([...new Set(kinds)].sort()).toEqual(known.sort())
})

it('a query of an index names only keys, the one thing that the index holds', () => {
  const asked = [...stated.values()].flat().filter((line) => line.includes(' by '))
  const attributes = asked.flatMap((line) => line.replace(/^.* where /, '').match(/(?<!:)\b[a-z_]\w*/g) ?? [])

  expect(asked.length).toBeGreaterThan(5)
  expect(new Set(asked.flatMap((line) => / (?:filter|do|if) .*/.exec(line)?.[0] ?? []))).toEqual(new Set())
  expect(new Set(attributes)).toEqual(new Set(['gsi_pk', 'gsi_sk']))
})

/** Each method, followed by its requests on lines that are indented. */
function readStated(text: string): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  let current: string[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('  ')) current.push(line.trim())
    else if (line !== '' && !line.startsWith('#')) methods.set(line, (current = []))
  }
  return methods
}
