import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { eventCosts, writeUnitsOfEvent } from '../../bench/cost/event-cost.ts'
import { idleCosts, idleMetrics } from '../../bench/cost/idle-cost.ts'
import { total } from '../../bench/cost/page.ts'
import { readPrices } from '../../bench/cost/price-list.ts'
import { callsAt, eventsOfMostEngines, legBytes, scaleLimits, scenario } from '../../bench/cost/scale-model.ts'
import { scalePage } from '../../bench/cost/scale-page.ts'
import { costOfStages } from '../../bench/cost/stages.ts'
import { metricReporter, readMetrics, times } from '../../connector/health/metrics.ts'
import { metricSeconds } from '../../contracts/metrics.ts'
import { readSettings } from '../../lib/settings.ts'
import { manualTime } from '../support/processes/manual-time.ts'
import { appWith } from './synthesized-app.ts'

const prices = readPrices()

it('docs/cost.md is what npm run cost generates from the templates', () => {
  expect(readFileSync('docs/cost.md', 'utf8'), 'run npm run cost').toBe(costOfStages())
})

it.each([
  ['dev', 45],
  ['prod', 120],
])('an idle month of the committed settings of %s costs %d dollars at most', (stage, most) => {
  const settings: Record<string, unknown> = JSON.parse(readFileSync(`settings/${stage}.json`, 'utf8'))

  expect(total(idleCosts(appWith(settings).assembly, prices))).toBeLessThanOrEqual(most)
})

it('the cost of an idle connector includes exactly the metrics that it writes', () => {
  const lines: Record<string, unknown>[] = []
  const health = {
    status: 'OK',
    connectorId: '',
    version: '',
    startedAt: 0,
    engines: [],
    lagMs: 0,
    counters: {},
  } as const
  const reporter = metricReporter({
    ...manualTime(),
    metrics: { put: (line) => lines.push(line) },
    read: () => readMetrics(health),
    times: { CommandDelay: times(1, () => 0), OrderTime: times(1, () => 0) },
  })

  const zeros = 600 / metricSeconds
  for (let line = 0; line <= zeros; line += 1) reporter.write()

  const written = Object.entries(lines[zeros] ?? {}).filter(([, value]) => [value].flat().length > 0)
  expect(written.map(([name]) => name)).toEqual(idleMetrics)
})

it('the idle costs include a second connector and a larger search node', () => {
  const one = appWith({ connectorTasks: 1, searchInstances: 1 })
  const two = appWith({ connectorTasks: 2, searchInstances: 1 })
  const large = appWith({ connectorTasks: 1, searchInstances: 1, searchInstanceType: 'r6g.large.search' })
  const [small, more, most] = [one, two, large].map(({ assembly }) => total(idleCosts(assembly, prices)))

  expect(more).toBeGreaterThan((small ?? 0) + 14)
  expect(most).toBeCloseTo((small ?? 0) + (0.167 - 0.036) * 730)
})

it('a node without a known price is refused instead of being free', () => {
  const unknown = appWith({ searchInstanceType: 'm7g.large.search' })

  expect(() => idleCosts(unknown.assembly, prices)).toThrow('no price of m7g.large.search')
})

it('an event costs 10.5 write units alone and 7.9 in a full batch, as the design page on deliveries says', () => {
  expect(writeUnitsOfEvent(1)).toBeCloseTo(10.5, 1)
  expect(writeUnitsOfEvent(10)).toBeCloseTo(7.9, 1)
  expect(readFileSync('docs/design/deliveries.md', 'utf8')).toContain(
    '10.5 units alone (`n` = 1), and 0.6 calls and 7.9 units in full batches',
  )
})

it('a million events cost at most 12 dollars, even if they come singly, and less in batches', () => {
  const cost = (batch: number) => total(eventCosts({ millions: 1, batch, connectors: 2 }, prices))

  expect(cost(1)).toBeLessThanOrEqual(12)
  expect(cost(2)).toBeLessThan(cost(1))
  expect(cost(10)).toBeLessThan(cost(2))
})

it('docs/scale.md is what npm run cost generates from the settings of prod', () => {
  expect(readFileSync('docs/scale.md', 'utf8'), 'run npm run cost').toBe(scalePage(prices))
})

it('a connector of the size in prod can read twice the events of as many full engines as a deployment may have', () => {
  const prod: Record<string, unknown> = JSON.parse(readFileSync('settings/prod.json', 'utf8'))
  const limits = scaleLimits(readSettings({ stage: 'prod', engineHost: 'engine', ...prod }))
  const connector = limits.find(({ moves }) => moves === '`connectorCpu`')

  expect(connector?.most).toBeGreaterThan(2 * eventsOfMostEngines())
})

it('the model of scale uses the size of a leg that the design page on CDRs states', () => {
  expect(readFileSync('docs/design/cdr.md', 'utf8')).toContain(`the table plans twice as much: ${legBytes} bytes`)
})

it('the first limit that is reached is listed first, and each setting that a limit names changes it', () => {
  const of = (given: Readonly<Record<string, unknown>>) =>
    scaleLimits(readSettings({ stage: 'prod', engineHost: 'engine', engineConcurrency: 30, ...given }))
  const usual = of({})
  const more = {
    searchVolumeGb: 100,
    searchInstances: 4,
    searchInstanceType: 't3.medium.search',
    requestsPerSecond: 2000,
    engineConcurrency: 60,
    connectorCpu: 1024,
    eventsPerSecond: 1000,
  }
  const moved = of(more)

  expect(usual.map(callsAt)).toEqual(usual.map(callsAt).toSorted((a, b) => a - b))
  const named = usual.filter(({ moves }) => Object.keys(more).some((name) => moves.includes(`\`${name}\``)))
  expect(named.length).toBeGreaterThan(5)
  for (const limit of named) {
    const after = moved.find(({ what }) => what === limit.what)
    expect(after && callsAt(after), limit.what).toBeGreaterThan(callsAt(limit))
  }
})

it('every limit on the page about scale is above its load with the settings shown there', () => {
  const [, shown = ''] =
    /## With the settings for this load\n\n(.*?)\. The first/.exec(readFileSync('docs/scale.md', 'utf8')) ?? []
  const settings: unknown = JSON.parse(`{${shown.replaceAll('`', '')}}`)
  const [first] = scaleLimits(readSettings({ stage: 'prod', engineHost: 'engine', ...Object(settings) }))

  expect(first && callsAt(first)).toBeGreaterThan(scenario.callsADay)
})
