import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ListRules, applyList } from '../../../core/requests/apply-list.ts'
import type { ListQuery } from '../../../core/requests/list-query.ts'
import { breadth } from '../../support/breadth.ts'

interface Item {
  readonly id: string
  readonly state: string
  readonly online: boolean
  readonly calls?: number
}

const rules: ListRules<Item> = { id: ({ id }) => id, fields: ['id', 'state', 'online', 'calls'] }

const items: Item[] = [
  { id: '1000', state: 'onhook', online: true, calls: 2 },
  { id: '1001', state: 'nonreg', online: false },
  { id: '1002', state: 'onhook', online: true, calls: 1 },
  { id: '2000', state: 'isbusy', online: true, calls: 10 },
]

const many = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(100_000 + index), state: 'nonreg', online: false }))

const idsOf = (query: ListQuery, of: readonly Item[] = items) => applyList(of, query, rules).rows.map(({ id }) => id)

describe('a list', () => {
  it('a list is returned as a whole and in its own order by default', () => {
    const page = applyList(items, {}, rules)

    expect(page.rows.map(({ item }) => item)).toEqual(items)
    expect(page.headers).toEqual({})
  })

  it('a list above 4 000 items is cut, says so and continues after the cursor', () => {
    const all = many(4_001)
    const first = applyList(all, {}, rules)
    const second = applyList(all, { cursor: first.headers['X-Next-Cursor'] }, rules)

    expect(first.rows).toHaveLength(4_000)
    expect(first.headers).toMatchObject({ 'X-Truncated': 'true' })
    expect(second.rows.map(({ id }) => id)).toEqual(['104000'])
    expect(second.headers).toEqual({})
  })

  it.each([
    [{ page: 1 }, 0, 40],
    [{ page: 2 }, 40, 40],
    [{ limit: 7 }, 0, 7],
    [{ limit: 7, page: 3 }, 14, 7],
    [{ limit: 7, page: 100 }, 0, 0],
  ])('a list with the query %j starts at %i and has %i items', (query, start, length) => {
    const ids = idsOf(query, many(100))

    expect(ids).toEqual(
      many(100)
        .slice(start, start + length)
        .map(({ id }) => id),
    )
  })

  it.each([
    ['{"state":1}', ['2000', '1001', '1000', '1002']],
    ['{"state":-1,"id":-1}', ['1002', '1000', '1001', '2000']],
    ['{"calls":1}', ['1001', '1002', '1000', '2000']],
    ['{"online":-1}', ['1000', '1002', '2000', '1001']],
  ])('a list sorted by %s has equal items by id, numbers as numbers, absent ones first', (sort, ids) => {
    expect(idsOf({ sort })).toEqual(ids)
  })

  it.each([
    ['{"id":"10"}', ['1000', '1001', '1002']],
    ['{"online":true}', ['1000', '1002', '2000']],
    ['{"calls":1}', ['1002']],
    ['{"calls":"1"}', []],
    ['{"state":"on","online":true}', ['1000', '1002']],
    ['{"calls":null}', ['1001']],
  ])('a list filtered by %s matches text by prefix and the rest by equality', (filter, ids) => {
    expect(idsOf({ filter })).toEqual(ids)
  })

  it.each(['id,state', ' id , state ', '{"id":1,"state":1}'])(
    'a list cut to columns %j keeps the ids as keys',
    (columns) => {
      const { rows } = applyList(items.slice(0, 1), { columns }, rules)

      expect(rows).toEqual([{ id: '1000', item: { id: '1000', state: 'onhook' } }])
    },
  )

  it.each([
    ['sort', '{"id":0}'],
    ['sort', '{"id":"1"}'],
    ['sort', '[]'],
    ['sort', 'id'],
    ['sort', '{"passwordHash":1}'],
    ['filter', '{"id":{}}'],
    ['filter', '{"__proto__":"x"}'],
    ['filter', 'null'],
    ['columns', 'passwordHash'],
    ['columns', ''],
    ['cursor', 'x'],
    ['cursor', '%'],
    ['cursor', 'W10'],
  ])('a list refuses %s=%s by name', (parameter, value) => {
    expect(() => applyList(items, { [parameter]: value }, rules)).toThrow(
      expect.objectContaining({ code: 'invalid_field', details: [expect.objectContaining({ field: parameter })] }),
    )
  })
})

describe('a cursor', () => {
  it('following the cursor returns every item once, whatever the sort order and the page size', () => {
    const item = fc.record({
      id: fc.string({ minLength: 1, maxLength: 8 }),
      state: fc.string({ maxLength: 3, unit: 'grapheme' }),
      online: fc.boolean(),
      calls: fc.nat({ max: 3 }),
    })
    const list = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 30 })
    const sort = fc.constantFrom(undefined, '{"state":1}', '{"calls":-1,"online":1}')
    fc.assert(
      fc.property(list, sort, fc.integer({ min: 1, max: 5 }), (unordered, sort, limit) => {
        const all = unordered.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        const shown: string[] = []
        let cursor: string | undefined
        do {
          const page = applyList(all, { limit, sort, cursor }, rules)
          shown.push(...page.rows.map(({ id }) => id))
          cursor = page.headers['X-Next-Cursor']
        } while (cursor !== undefined)

        expect(shown).toEqual(applyList(all, { sort }, rules).rows.map(({ id }) => id))
      }),
      { seed: 1, numRuns: breadth(50, 200) },
    )
  })

  it.each([undefined, '{"state":1}'])(
    'a cursor sorted by %s continues at its position when its item was removed',
    (sort) => {
      const first = applyList(items, { limit: 2, sort }, rules)
      const last = first.rows.at(-1)?.id
      const rest = items.filter(({ id }) => id !== last)

      const next = applyList(rest, { limit: 4, sort, cursor: first.headers['X-Next-Cursor'] }, rules)

      expect([...first.rows, ...next.rows].map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id))
    },
  )

  it('a cursor continues after a page that was cut because of its size in bytes', () => {
    const weighed = (most: number) => ({ ...rules, weight: { of: () => 10, most } })

    const first = applyList(items, {}, weighed(35))
    const rest = applyList(items, { cursor: first.headers['X-Next-Cursor'] }, weighed(35))

    expect(first.rows.map(({ id }) => id)).toEqual(['1000', '1001', '1002'])
    expect(first.headers['X-Truncated']).toBe('true')
    expect(rest.rows.map(({ id }) => id)).toEqual(['2000'])
    expect(rest.headers).toEqual({})
  })

  it('a cursor continues after each item if every single one exceeds the size of a page', () => {
    const weighed = { ...rules, weight: { of: () => 10, most: 9 } }

    expect(applyList(items, { limit: 2 }, weighed)).toMatchObject({
      rows: [{ id: '1000' }],
      headers: { 'X-Truncated': 'true', 'X-Next-Cursor': expect.any(String) },
    })
  })

  it('a cursor together with a page number is refused', () => {
    expect(() => applyList(items, { cursor: 'W10', page: 2 }, rules)).toThrow('must not be given together with page')
  })
})
