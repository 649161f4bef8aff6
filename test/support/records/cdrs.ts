/** Call detail records for tests: valid ones of which a test names only what it is about. */
import { randomUUID } from 'node:crypto'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import type { SearchPlan } from '../../../core/cdr/search-plan.ts'

/** The moment at which the calls of tests begin where none is named. */
export const callTime = Date.UTC(2026, 0, 15, 12)

/** The CDR of an answered call of one minute. */
export function aCdr(given: Partial<Cdr> = {}): Cdr {
  return {
    uuid: randomUUID(),
    domain_name: 'a.example.com',
    leg: 'a',
    created_time: callTime,
    direction: 'inbound',
    presence_id: '1000@a.example.com',
    caller_id_name: 'Ann Lee',
    caller_id_number: '1000',
    destination_number: '1001',
    duration: 65,
    billsec: 60,
    hangup_cause: 'NORMAL_CLEARING',
    hangup_cause_q850: 16,
    variables: {},
    ...given,
  }
}

/** A search for everything of one domain around {@link callTime}, oldest first. */
export function aPlan(given: Partial<SearchPlan> = {}): SearchPlan {
  const year = 366 * 86_400_000
  return {
    domain: 'a.example.com',
    legs: ['a', 'b'],
    from: callTime - year / 2,
    to: callTime + year / 2,
    query: { kind: 'all' },
    limit: 100,
    skip: 0,
    sort: [
      { field: 'created_time', order: 'asc' },
      { field: 'uuid', order: 'asc' },
    ],
    ...given,
  }
}
