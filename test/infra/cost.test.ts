import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { eventCosts, writeUnitsOfEvent } from '../../bench/cost/event-cost.ts'
import { idleCosts } from '../../bench/cost/idle-cost.ts'
import { total } from '../../bench/cost/page.ts'
import { readPrices } from '../../bench/cost/price-list.ts'
import { costOfStages } from '../../bench/cost/stages.ts'
import { synthesize } from './synthesized-app.ts'

const prices = readPrices()

it('the page of costs is the one that npm run cost makes from the templates', () => {
  expect(readFileSync('docs/cost.md', 'utf8'), 'run npm run cost').toBe(costOfStages())
})

it('a second connector and a larger search node are in the idle costs', () => {
  using one = synthesize({ settings: { connectorTasks: 1, searchInstances: 1 } })
  using two = synthesize({ settings: { connectorTasks: 2, searchInstances: 1 } })
  using large = synthesize({
    settings: { connectorTasks: 1, searchInstances: 1, searchInstanceType: 'r6g.large.search' },
  })
  const [small, more, most] = [one, two, large].map(({ assembly }) => total(idleCosts(assembly, prices)))

  expect(more).toBeGreaterThan((small ?? 0) + 14)
  expect(most).toBeCloseTo((small ?? 0) + (0.167 - 0.036) * 730)
})

it('a node without a known price is refused instead of being free', () => {
  using unknown = synthesize({ settings: { searchInstanceType: 'm7g.large.search' } })

  expect(() => idleCosts(unknown.assembly, prices)).toThrow('no price of m7g.large.search')
})

it('an event needs 12 write units alone and 8.4 in a full batch, as the page on deliveries says', () => {
  expect(writeUnitsOfEvent(1)).toBeCloseTo(12)
  expect(writeUnitsOfEvent(10)).toBeCloseTo(8.4)
  expect(readFileSync('docs/design/deliveries.md', 'utf8')).toContain(
    '12 units alone (`n` = 1), and 0.6 calls and 8.4 units in full batches',
  )
})

it('a million events cost at most 12 dollars as soon as two are in a batch', () => {
  const cost = (batch: number) => total(eventCosts({ millions: 1, batch, connectors: 2 }, prices))

  expect(cost(2)).toBeLessThanOrEqual(12)
  expect(cost(10)).toBeLessThan(cost(2))
})
