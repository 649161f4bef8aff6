import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  type CostItem,
  busyMetrics,
  busyMetricsCost,
  costOfStore,
  idleCosts,
  idleEstimates,
  idleMetrics,
} from '../../bench/cost/idle-cost.ts'
import { prices } from '../../bench/cost/prices.ts'
import {
  callsAt,
  eventsOfMostEngines,
  legBytes,
  registrationSeconds,
  scaleLimits,
  scenario,
  storedGb,
} from '../../bench/cost/scale-model.ts'
import { call, eventCosts, requestCost, requests, writeUnitsOfEvent } from '../../bench/cost/use-cost.ts'
import { metricReporter, readMetrics, times } from '../../connector/health/metrics.ts'
import { metricSeconds } from '../../contracts/metrics.ts'
import { readSettings } from '../../lib/settings.ts'
import { manualTime } from '../support/processes/manual-time.ts'
import { appWith } from './synthesized-app.ts'

const cost = readFileSync('docs/cost.md', 'utf8')
const scale = readFileSync('docs/scale.md', 'utf8')

const settingsOf = (stage: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`settings/${stage}.json`, 'utf8'))

const total = (items: readonly CostItem[]) => items.reduce((all, { month }) => all + month, 0)
const money = (dollars: number) => dollars.toFixed(2)
const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** A figure of three digits, with a space between thousands. */
function count(value: number): string {
  const digits = Number(value.toPrecision(3))
  return String(digits).replaceAll(/\B(?=(?:\d{3})+$)/g, Number.isInteger(digits) ? ' ' : '')
}

it('the idle months on the page about costs are those of the templates, and within their goals', () => {
  const months = [settingsOf('dev'), settingsOf('prod'), { ...settingsOf('prod'), connectorEgress: 'endpoints' }].map(
    (settings) => idleCosts(appWith(settings).assembly),
  )
  const [first = []] = months
  const of = (name: string) => months.map((items) => money(items.find((item) => item.name === name)?.month ?? 0))
  const totals = months.map(total)

  expect(cost).toContain(row('**together**', ...totals.map((month) => `**${money(month)}**`)))
  for (const { name } of first) expect(cost).toContain(row(name, ...of(name)))
  expect(totals[0]).toBeLessThanOrEqual(45)
  expect(totals[1]).toBeLessThanOrEqual(120)
})

it('the costs of events on the page are those of the model, with an idle month of prod', () => {
  const idle = total(idleCosts(appWith(settingsOf('prod')).assembly)) + busyMetricsCost().month
  for (const [millions, batch] of [
    [1, 1],
    [10, 2],
    [100, 5],
  ] as const) {
    const events = total(eventCosts({ millions, batch, connectors: 2 }))
    const units = writeUnitsOfEvent(batch).toFixed(1)

    expect(cost).toContain(
      row(`${millions} million`, String(batch), units, money(events / millions), money(idle + events)),
    )
  }
  const items = Object.fromEntries(
    eventCosts({ millions: 1, batch: 5, connectors: 2 }).map(({ name, month }) => [name, money(month)]),
  )
  expect(cost).toContain(
    `write units are ${items['write units of tables']}, requests of queues ${items['requests of queues']}, ` +
      `bytes to receivers ${items['bytes to receivers']} and bytes between zones ${items['bytes between zones']},`,
  )
})

it('the costs of requests on the page are those of the model', () => {
  for (const [name, request] of Object.entries(requests)) {
    expect(cost).toContain(row(name, money(requestCost(request))))
  }
})

const callsAMonth = (scenario.callsADay * 30.4) / 1_000_000
const eventsAMonth = callsAMonth * 10
const storeFor = (volumeGb: number) => costOfStore('r7g.large.search', { nodes: 8, managers: 3, volumeGb })

it('a million calls a day cost what the page says', () => {
  const events = (batch: number) => count(total(eventCosts({ millions: eventsAMonth, batch, connectors: 2 })))
  const placed = (name: keyof typeof requests) => count(callsAMonth * requestCost(requests[name]))
  const usual = count(callsAMonth * 5 * requestCost(requests['a usual request']))

  expect(cost).toContain(
    row(`${count(eventsAMonth)} million events one at a time; in batches of five`, `${events(1)}; ${events(5)}`),
  )
  expect(cost).toContain(row('five usual requests for each call', usual))
  expect(cost).toContain(
    `with \`wait\` \`none\` | ${placed('a call that is placed and answered after 10 s')}; ` +
      `${placed('a call that is placed with `wait` `none`')} |`,
  )
  expect(cost).toContain(
    `${placed('a call that is placed with `wait` `none`')} instead of ` +
      `${placed('a call that is placed and answered after 10 s')} if the API places every call`,
  )
  expect(cost).toContain(`for 432 days | ${count(storeFor(1100))} |`)
})

it('what would save most is as the page says', () => {
  const warm = 2 * prices.warmNodeHour * prices.hoursPerMonth + ((storedGb() - storedGb(60)) / 2) * prices.warmGbMonth
  const writes = eventCosts({ millions: eventsAMonth, batch: 5, connectors: 2 })[0]?.month ?? 0
  const provisioned = prices.writeUnitHour / 0.7 / ((3600 * prices.writeUnitMillion) / 1_000_000)

  expect(8 * 190 * 1.0737 * 0.76).toBeGreaterThan(storedGb(60))
  expect(cost).toContain(`190 GiB: ${count(storeFor(190))} instead of ${count(storeFor(1100))}. UltraWarm`)
  expect(cost).toContain(`would add ${count(warm)};`)
  expect(cost).toContain(
    `costs ${provisioned.toFixed(2)} of writes on demand: ${count(writes * provisioned)} instead of ${count(writes)} for`,
  )
})

it('the page about costs states the estimates of the model', () => {
  const { pollers, longPollSeconds, run, logGb } = idleEstimates

  expect(cost).toContain(`with ${pollers} pollers, a long poll of ${longPollSeconds} s each`)
  expect(cost).toContain(`runs ${run.seconds} s with ${run.gb} GB`)
  expect(cost).toContain(`have ${logGb} GB. An idle connector writes one metric, one with calls ${busyMetrics.length}.`)
  expect(cost).toContain(`works ${call.seconds} s with ${call.gb} GB`)
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
  const [small, more, most] = [one, two, large].map(({ assembly }) => total(idleCosts(assembly)))

  expect(more).toBeGreaterThan((small ?? 0) + 14)
  expect(most).toBeCloseTo((small ?? 0) + (0.167 - 0.036) * 730)
})

it('a node without a known price is refused instead of being free', () => {
  const unknown = appWith({ searchInstanceType: 'm7g.large.search' })

  expect(() => idleCosts(unknown.assembly)).toThrow('no price of m7g.large.search')
})

it('an event costs 10.5 write units alone and 7.9 in a full batch, as the design page on deliveries says', () => {
  expect(writeUnitsOfEvent(1)).toBeCloseTo(10.5, 1)
  expect(writeUnitsOfEvent(10)).toBeCloseTo(7.9, 1)
  expect(readFileSync('docs/design/deliveries.md', 'utf8')).toContain(
    '10.5 units alone (`n` = 1), and 0.6 calls and 7.9 units in full batches',
  )
})

it('a million events cost at most 12 dollars, even if they come singly, and less in batches', () => {
  const cost = (batch: number) => total(eventCosts({ millions: 1, batch, connectors: 2 }))

  expect(cost(1)).toBeLessThanOrEqual(12)
  expect(cost(2)).toBeLessThan(cost(1))
  expect(cost(10)).toBeLessThan(cost(2))
})

const prod = (given: Readonly<Record<string, unknown>> = {}) =>
  readSettings({ stage: 'prod', engineHost: 'engine', ...settingsOf('prod'), ...given })

/** The rows of a table on the page about scale, without what they are about. */
const figures = (section: string) =>
  [...section.matchAll(/^\| [^|]+ \| ([\d .]+) \| ([\d .]+) \| ([\d ]+) \|/gm)].map(([, ...cells]) => cells.join(' | '))

const figuresOf = (limits: ReturnType<typeof scaleLimits>) =>
  Object.values(limits)
    .toSorted((a, b) => callsAt(a) - callsAt(b))
    .map((limit) => [...limit, callsAt(limit)].map(count).join(' | '))

it('the page about scale has each limit of the model with its figures, and the first one at the head', () => {
  const [, committed = '', moved = ''] = scale.split(/^## (?:As committed|With the settings for this load)$/m)
  const onPage = figures(committed)
  const places = onPage.map((cells) => Number(cells.split(' | ')[2]?.replaceAll(' ', '')))

  expect(onPage.toSorted()).toEqual(figuresOf(scaleLimits(prod())).toSorted())
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(scale).toContain(`**${count(places[0] ?? 0)} calls a day**`)

  const [, shown = ''] = /^(.*?)\. The first/m.exec(moved.trim()) ?? []
  const then = figuresOf(scaleLimits(prod(JSON.parse(`{${shown.replaceAll('`', '')}}`))))
  expect(figures(moved)).toEqual(then.slice(0, 2))
  expect(Number(then[0]?.split(' | ')[2]?.replaceAll(' ', ''))).toBeGreaterThan(scenario.callsADay)
})

it('the page about scale has the figures of engines and of phones that register at once', () => {
  expect(scale).toContain(`32 engines send ${count(eventsOfMostEngines())} events a second`)
  expect(scale).toContain(
    `${count(scenario.phones)} phones that register at once pass 30 functions in ${registrationSeconds(prod())} s`,
  )
})

it('a connector of the size in prod can read twice the events of as many full engines as a deployment may have', () => {
  expect(scaleLimits(prod()).connector[1]).toBeGreaterThan(2 * eventsOfMostEngines())
})

it('the model of scale uses the size of a leg that the design page on CDRs states', () => {
  expect(readFileSync('docs/design/cdr.md', 'utf8')).toContain(`the table plans twice as much: ${legBytes} bytes`)
  expect(scale).toContain(`planned with ${legBytes} bytes`)
})

it('each setting that the page names moves its limits', () => {
  const moves: Readonly<Record<string, readonly [unknown, readonly (keyof ReturnType<typeof scaleLimits>)[]]>> = {
    searchVolumeGb: [100, ['disks']],
    searchInstances: [4, ['disks', 'shard']],
    requestsPerSecond: [2000, ['requests', 'posted']],
    engineConcurrency: [60, ['posting']],
    connectorCpu: [1024, ['connector']],
    eventsPerSecond: [1000, ['tenant']],
  }
  for (const [name, [value, limits]] of Object.entries(moves)) {
    const after = scaleLimits(prod({ [name]: value }))

    expect(scale).toContain(`\`${name}\``)
    for (const limit of limits) {
      expect(callsAt(after[limit]), `${name}: ${limit}`).toBeGreaterThan(callsAt(scaleLimits(prod())[limit]))
    }
  }
})
