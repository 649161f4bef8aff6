import { type CostItem, type Templates, idleCosts, idleEstimates } from './idle-cost.ts'
import { call, eventCosts, keptDays, typicalEvent, writeUnitsOfEvent } from './event-cost.ts'
import type { PriceList } from './price-list.ts'

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
  const { date, region, source } = prices
  return `# Costs

Made by \`npm run cost\` from the templates of \`settings/*.json\` and \`bench/cost/prices.json\`: ${region}, ${date},
${source}. Dollars a month of ${prices.hoursPerMonth} hours. [Estimates](#estimates) says what the templates do not.

## Idle

${stages.map((stage) => idleSection(stage, prices)).join('\n\n')}

A stage pays for its search nodes, its alarms and metrics, and the way of its connectors out, whether it is used or not. \`t3.small.search\` is the
smallest node that encrypts its disk. \`dev\` has one, and one connector of the smallest size with a public address; its alarms are
those of \`prod\`, so that a wrong one is found there first. \`prod\` meets its goal with public addresses; private endpoints are its
default, since they need no route to the internet ([decision 61](adr/0061-a-stage-chooses-how-connectors-get-out.md)).

## With events

The cost of \`${stages.at(-1)?.name}\`, idle cost included. An event has ${typicalEvent.kb} KB and goes to one hook whose receiver answers
in ${typicalEvent.receiverMs} ms; a call has ten events and two legs. Batches of dispatch hold the number of events in the second column, and
write units follow from them by the table of [deliveries](design/deliveries.md#costs).

${eventTable(stages, prices)}

The goal is ${perMillionGoal} dollars for a million events. Events that come one at a time miss it, since each pays for a batch of its own.

${months.map(({ millions, batch }) => largest(stages, prices, millions, batch)).join('\n\n')}

${estimates()}
`
}

function estimates(): string {
  const { pollers, longPollSeconds, run, logGb } = idleEstimates
  return `## Estimates

No template says the following. It is estimated, and not yet compared with a bill.

- Lambda reads the queue of an idle function with ${pollers} pollers, each with a long poll of ${longPollSeconds} s. A connector reads commands with one.
- A scheduled function that finds nothing to do runs for ${run.seconds} s with ${run.gb} GB. All logs of an idle month have ${logGb} GB.
- Connectors write each metric that is a level all the time. Counts that stay 0 and times without a sample are not written.
- A call of a function works for ${call.seconds} s in addition to the wait for the receiver, has ${call.gb} GB, and writes ${call.logKb} KB of logs.
- Events and their deliveries are kept for ${keptDays} days, events compressed to a third.

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
  sorted(items).map(({ name, month }) => [name, money(month)]),
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
  return { idle: idleCosts(templates, prices), events: eventCosts({ millions, batch, connectors }, prices) }
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
