import { describe, expect, test } from 'vitest'
import { memoryCdrStore } from '../../support/memory/memory-cdr-store.ts'
import { memoryState } from '../../support/memory/memory-state.ts'
import { searchCdrs } from '../../../core/cdr/search/search-cdrs.ts'
import { DomainError } from '../../../core/errors.ts'
import { parseJson } from '../../../functions/endpoint/read-request.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { aCdr, callTime } from '../../support/records/cdrs.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { signerForTests } from '../../support/stores/scroll-signer.ts'

const samples = badInputs('cdr-search')
const own = 'acme.example.com'

/** Searches as a caller of `acme.example.com`, where `other.example.com` has the same two calls. */
async function outcomeOf(sample: string): Promise<string> {
  const store = memoryCdrStore({ state: memoryState() })
  const cdrs = [own, 'other.example.com'].flatMap((domain_name) => {
    return ['1', '2'].map((uuid) => aCdr({ uuid, domain_name, created_time: callTime - Number(uuid) }))
  })
  await store.index(cdrs.map((cdr) => ({ source: 'event', cdr })))
  const tools = { cdrs: store, clock: movableClock(callTime), signer: signerForTests() }
  const caller = { username: `1000@${own}`, domain: own }
  try {
    const body = Object(parseJson(sample))
    const { hits, aggregations } = (await searchCdrs(tools, caller, { body })).body
    const columns = ['domain_name']
    const shown = await searchCdrs(tools, caller, { body: { ...body, columns } })
    const domains = shown.body.hits.hits.flatMap(({ fields }) => fields?.['domain_name'])
    expect(new Set([own, ...domains])).toEqual(new Set([own]))
    expect(JSON.stringify([hits, aggregations])).not.toContain('other.example.com-')
    expect(hits.total).toBeLessThanOrEqual(2)
    return `${hits.total} of its own`
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

/** The results of the samples of each group, in their order. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'another tenant through the text query': [
    '0 of its own',
    '0 of its own',
    '2 of its own',
    '2 of its own',
    'query_refused',
    'query_refused',
    '2 of its own',
    'query_refused',
    'query_refused',
    '0 of its own',
  ],
  'another index': [
    'not_found',
    'not_found',
    'not_found',
    'not_found',
    'not_found',
    'not_found',
    'not_found',
    'not_found',
    'not_found',
    '2 of its own',
    'not_found',
    'not_found',
  ],
  'clauses that read elsewhere or run code': [
    'query_refused',
    'query_refused',
    'query_refused',
    'query_refused',
    'query_refused',
    'query_refused',
    'query_refused',
    '1 of its own',
    'query_refused',
    'query_refused',
    'query_refused',
    '2 of its own',
    '2 of its own',
    '2 of its own',
    '2 of its own',
  ],
  'boolean shapes that weaken a filter': [
    'query_refused',
    '2 of its own',
    'query_refused',
    'query_refused',
    'query_refused',
    'query_refused',
    'query_refused',
  ],
  'columns and sort': [
    'invalid_field',
    'invalid_field',
    '2 of its own',
    'query_refused',
    'invalid_field',
    'invalid_field',
    'invalid_field',
    'query_refused',
  ],
  'numbers, dates, size': [
    'invalid_field',
    'invalid_field',
    'invalid_field',
    'invalid_field',
    'invalid_json',
    'invalid_field',
    '2 of its own',
    'query_refused',
    'query_refused',
    'query_refused',
    'query_refused',
    '0 of its own',
    '2 of its own',
    'query_refused',
    'query_refused',
    'query_refused',
    'invalid_json',
  ],
}

describe('search bodies that reach for more than they may', () => {
  test.each(Object.entries(expected))('the search sample %s gets its stated answer', async (group, outcomes) => {
    const found = []
    for (const sample of samples(group)) found.push(await outcomeOf(sample))

    expect(found).toEqual(outcomes)
  })
})
