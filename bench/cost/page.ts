import { type CostItem, type Templates, busyMetrics, busyMetricsCost, idleCosts, idleEstimates } from './idle-cost.ts'
import { call, costOfKb, eventCosts, keptDays, typicalEvent, writeUnitsOfEvent } from './event-cost.ts'
import { type PriceList, priceNames } from './price-list.ts'

/** A stage whose costs are shown: its name and its synthesized templates. */
export interface CostedStage {
  readonly name: string
  readonly templates: Templates
}

/** Months that are computed. Batches grow with the rate, since more events wait when a function starts. */
const months = [
  { millions: 1, batch: 1 },
  { millions: 10, batch: 2 },
  { millions: 100, batch: 5 },
]

const goals: Readonly<Record<string, number>> = { prod: 120, dev: 45 }
const perMillionGoal = 12

/** Returns the total of items in dollars a month. */
export function total(items: readonly CostItem[]): number {
  return items.reduce((all, { month }) => all + month, 0)
}

/** Returns docs/cost.md. The last of the stages is the one whose events are computed. */
export function costPage(stages: readonly CostedStage[], prices: PriceList): string {
  return `# Costs

Made by \`npm run cost\` from the templates of \`settings/*.json\` and \`bench/cost/prices.json\`: ${prices.region}, without free tiers and discounts.
Dollars a month of ${prices.hoursPerMonth} hours. [Prices](#prices) says where they come from, [Estimates](#estimates) what the templates do not hold.

## Idle

${stages.map((stage) => idleSection(stage, prices)).join('\n\n')}

\`t3.small.search\` is the smallest node that encrypts its disk. Private endpoints are for a network that may have no route to the internet
([decision 75](adr/0075-connectors-of-prod-get-out-by-public-addresses.md)).

## With events

The cost of \`${stages.at(-1)?.name}\`, the cost of an idle month and of the metrics of calls included. An event has ${typicalEvent.kb} KB and goes to one hook whose receiver answers
in ${typicalEvent.receiverMs} ms; a call has ten events and two legs. Batches of dispatch hold the number of events in the second column, and
write units follow from them by the table of [deliveries](design/deliveries.md#costs).

${eventTable(stages, prices)}

The goal is ${perMillionGoal} dollars for a million events. ${goalSentence(stages, prices)}

${months
  .filter((_, at) => at !== 1)
  .map(({ millions, batch }) => largest(stages, prices, millions, batch))
  .join('\n\n')}

${estimates(prices)}

${priceSection(prices)}
`
}

function goalSentence(stages: readonly CostedStage[], prices: PriceList): string {
  const above = months.flatMap(({ millions, batch }) => {
    const excess = total(monthOf(stages, prices, millions, batch).events) / millions - perMillionGoal
    return excess > 0 ? [`${millions} million, by ${money(excess)}`] : []
  })
  const cause = 'Events that come one at a time cost most, since each pays for a batch of its own.'
  return above.length === 0 ? `Every month meets it. ${cause}` : `It is missed at ${above.join(', and at ')}. ${cause}`
}

function priceSection(prices: PriceList): string {
  const rows = prices.compared.map((source) => [source.prices.map(code).join(', '), source.with, source.date])
  const compared = new Set(prices.compared.flatMap((source) => source.prices))
  const others = priceNames(prices).filter((name) => !compared.has(name))
  return `## Prices

No price was read from AWS itself. They were entered by hand and compared, without a difference, with these sources:

${table(['prices', 'compared with', 'date'], rows)}

Not compared with anything: ${others.map(code).join(', ')}.`
}

const code = (name: string): string => `\`${name}\``

function estimates(prices: PriceList): string {
  const perKb = money(costOfKb(prices))
  const { pollers, longPollSeconds, run, logGb } = idleEstimates
  return `## Estimates

No template says the following. It is estimated, and not yet compared with a bill.

- Lambda reads the queue of an idle function with ${pollers} pollers, each with a long poll of ${longPollSeconds} s. A connector reads commands with one.
- A scheduled function that finds nothing to do runs for ${run.seconds} s with ${run.gb} GB. All logs of an idle month have ${logGb} GB.
- An idle connector writes one metric. A month with events pays for the ${busyMetrics.length} that usual calls move, in all of its hours.
- A call of a function works for ${call.seconds} s in addition to the wait for the receiver and has ${call.gb} GB. It writes ${call.logKb} KB of logs.
- Events and their deliveries are kept for ${keptDays} days, events compressed to a sixth.
- Events differ in size. Those of a recorded call between two phones (\`bridged-call\` in \`test/fixtures/freeswitch/events\`), with all their variables, have 5 to 13 KB,
  8.6 KB on average: each KB more costs ${perKb} dollars for a million.

Not included: data that is kept for long (CDRs beyond the disks of the search nodes, recordings, exports), requests of the API, reads of tables,
requests of keys and secrets, bytes through private endpoints, and traffic between zones.`
}

function idleSection({ name, templates }: CostedStage, prices: PriceList): string {
  const items = idleCosts(templates, prices)
  const goal = goals[name.split(' ')[0] ?? '']
  const sentence = goal === undefined ? '' : `; the goal is ${goal}, ${distance(total(items) - goal)}`
  return `### ${name}

${table(
  ['item', 'dollars'],
  sorted(items.filter(({ month }) => month > 0)).map(({ name, month }) => [name, money(month)]),
)}

Together **${money(total(items))}**${sentence}.`
}

function distance(above: number): string {
  return above > 0 ? `which it misses by ${money(above)}` : `which it meets with ${money(-above)} to spare`
}

function eventTable(stages: readonly CostedStage[], prices: PriceList): string {
  const rows = months.map(({ millions, batch }) => {
    const { idle, events } = monthOf(stages, prices, millions, batch)
    return [
      `${millions} million`,
      String(batch),
      writeUnitsOfEvent(batch).toFixed(1),
      money(total(events) / millions),
      money(total(idle) + total(events)),
    ]
  })
  return table(['events', 'in a batch', 'write units of an event', 'dollars for a million', 'dollars together'], rows)
}

function largest(stages: readonly CostedStage[], prices: PriceList, millions: number, batch: number): string {
  const { idle, events } = monthOf(stages, prices, millions, batch)
  const five = sorted([...idle, ...events]).slice(0, 5)
  return `### The five largest items at ${millions} million events

${table(
  ['item', 'dollars'],
  five.map(({ name, month }) => [name, money(month)]),
)}`
}

function monthOf(stages: readonly CostedStage[], prices: PriceList, millions: number, batch: number) {
  const templates = stages.at(-1)?.templates
  if (templates === undefined) throw new Error('there is no stage whose costs could be computed')
  const connectors = templates
    .ofType('AWS::ECS::Service')
    .reduce((all, { Properties }) => all + Number(Properties['DesiredCount']), 0)
  const idle = [...idleCosts(templates, prices), busyMetricsCost(prices)]
  return { idle, events: eventCosts({ millions, batch, connectors }, prices) }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function sorted(items: readonly CostItem[]): CostItem[] {
  return [...items].sort((a, b) => b.month - a.month)
}

function money(dollars: number): string {
  return dollars.toFixed(2)
}
