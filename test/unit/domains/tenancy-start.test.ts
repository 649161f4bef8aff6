import { expect, test } from 'vitest'
import { isOfTenant, tenancyStart } from '../../../core/domains/domain.ts'

const minute = 60_000
const createdAt = 1_000 * minute

test.each([
  ['a minute before it was made, as deployed', 2 * minute, minute],
  ['a minute at most', 15 * minute, minute],
  ['half of a shorter grace, which the deployment may set', minute, minute / 2],
  ['half of the shortest grace of a laptop', 1_000, 500],
])('a tenant begins %s', (_what, graceMs, slackMs) => {
  expect(tenancyStart(createdAt, graceMs)).toBe(createdAt - slackMs)
})

test.each([
  [createdAt - minute, true],
  [createdAt - minute - 1, false],
])('the membership of a call that began at %i in the tenant is %s', (startedAt, isOf) => {
  expect(isOfTenant({ createdAt }, startedAt, 2 * minute)).toBe(isOf)
})

test('nothing belongs to a domain that does not exist', () => {
  expect(isOfTenant(undefined, createdAt, 2 * minute)).toBe(false)
})
