import { readFileSync } from 'node:fs'
import { maxEngines } from '../../contracts/settings/engine-sockets.ts'
import { readSettings } from '../../lib/settings.ts'
import { call, eventCosts, typicalEvent } from './event-cost.ts'
import { total } from './page.ts'
import type { PriceList } from './price-list.ts'
import {
  type ScaleLimit,
  callEstimates,
  callsAt,
  eventsOfMostEngines,
  legBytes,
  scaleLimits,
  scenario,
  servicePages,
} from './scale-model.ts'

/** The settings that the load of the scenario needs, besides those of `prod`. */
const moved = {
  searchInstanceType: 'r7g.large.search',
  searchInstances: 8,
  searchVolumeGb: 1100,
}

/** Returns docs/scale.md for the committed settings of `prod`. */
export function scalePage(prices: PriceList): string {
  const prod: Record<string, unknown> = JSON.parse(
    readFileSync(new URL('../../settings/prod.json', import.meta.url), 'utf8'),
  )
  const limitsOf = (change: Readonly<Record<string, unknown>>) =>
    scaleLimits(readSettings({ stage: 'prod', engineHost: 'engine', ...prod, ...change }))
  const [now, then] = [limitsOf({}), limitsOf(moved)]
  const [first] = now
  const [next] = then
  if (first === undefined || next === undefined) throw new Error('the model has no limit')
  const { tenants, callsADay, hooks } = scenario
  return `# Scale

Made by \`npm run cost\` from \`settings/prod.json\` and what the code does (\`bench/cost/scale-model.ts\`): ${count(tenants)} tenants with
${count(hooks)} hooks and ${count(callsADay)} calls a day. The first limit is met at **${count(callsAt(first))} calls a day**: ${first.what}. ${first.moves}
move it. Loads are those of the busiest hour; what is kept is in whole.

## As committed

${tableOf(now)}

## With the settings for this load

${Object.entries(moved)
  .map(([name, value]) => `\`"${name}": ${JSON.stringify(value)}\``)
  .join(', ')}. The first limit is then met at **${count(callsAt(next))} calls a day**: ${next.what}.
The limits that change:

${tableOf(then.filter((limit) => now.every((before) => callsAt(before) !== callsAt(limit))))}

${connectorSection(now)}

${monthSection(prices)}

${estimates()}

${sources()}
`
}

/** How connectors grow; `now` are the limits of the settings as committed. */
function connectorSection(now: readonly ScaleLimit[]): string {
  const { most } = now.find(({ moves }) => moves === '`connectorCpu`') ?? { most: 0 }
  return `## Connectors

Every connector reads the events of all engines. ${maxEngines}
engines send ${count(eventsOfMostEngines())} events a second when they are full, and a connector as committed reads ${count(most)}. To grow, in this order:

1. Add engines to \`engineHost\` and deploy \`CallplaneConnector\`. New connectors run before the former ones stop; a moment in which none listened would be recorded as a gap.
2. When the alarm on late events fires, raise \`connectorCpu\` up to one processor, which is what a connector uses, and deploy in the same way.
3. With more than ${maxEngines} engines, make a second deployment and create new tenants there.`
}

function sources(): string {
  const pages = Object.entries(servicePages).map(([what, page]) => `| ${what} | <${page}> |`)
  return `## Sources of quotas

Accounts may have others (\`aws service-quotas list-service-quotas --service-code lambda\`). A new table takes 4 000 write units a second at once, and twice its former peak within 30 minutes, so let the load
grow over at least that time.

| quota or property | page |
| --- | --- |
${pages.join('\n')}`
}

function monthSection(prices: PriceList): string {
  const millions = (scenario.callsADay * 30.4 * 2) / typicalEvent.legs / 1_000_000
  const cost = (batch: number) => count(total(eventCosts({ millions, batch, connectors: 2 }, prices)))
  return `## Events of a month

${count(millions)} million events cost ${cost(1)} dollars when they come one at a time, and ${cost(5)} in batches of five, in addition to an idle month
([costs](cost.md)).`
}

function estimates(): string {
  const { busiestHour, seconds, largestTenant, ofEngine } = callEstimates
  return `## Estimates

- ${busiestHour * 100} % of a day's calls begin in its busiest hour. A call takes ${seconds} s. The largest tenant has ${largestTenant * 100} % of all calls. An engine carries ${count(ofEngine)} at once.
- A call has ${2 / typicalEvent.legs} events, each for one hook whose receiver answers in ${typicalEvent.receiverMs} ms, and two legs that are planned with ${legBytes} bytes on a disk. A function works ${call.seconds} s.
- The rate of a connector is that of a whole processor of the machine of the benchmarks.

Not in this model: requests of the API, registrations of phones, logins, searches, and the processors of search nodes.`
}

function tableOf(limits: readonly ScaleLimit[]): string {
  const rows = limits.map((limit) => [
    limit.what,
    `${count(limit.load)} ${limit.unit}`,
    count(limit.most),
    count(callsAt(limit)),
    limit.moves,
  ])
  const head = ['limit', 'load', 'most', 'met at calls a day', 'moved by']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function count(value: number): string {
  const digits = value >= 1000 ? Math.round(Number(value.toPrecision(3))) : Number(value.toPrecision(3))
  return String(digits).replaceAll(/\B(?=(?:\d{3})+$)/g, Number.isInteger(digits) ? ' ' : '')
}
