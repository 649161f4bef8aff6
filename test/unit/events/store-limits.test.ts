/** Numbers that follow from what the stores take, stated once more: a change of one of them is a decision. */
import { expect, test } from 'vitest'
import { claimsAtATime } from '../../../core/commands/commands.ts'
import { deliveriesTogether, entriesTogether } from '../../../core/events/event-log-rules.ts'

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const transactionItems = 100

test('80 deliveries fit into the transaction of a batch, together with the ids of its events and two records of the write', () => {
  expect(deliveriesTogether).toBe(80)
  expect(deliveriesTogether + entriesTogether + 2).toBeLessThanOrEqual(transactionItems)
})

test('one request ends up to a hundred commands of a lost connector', () => {
  expect(claimsAtATime).toBe(100)
})
