import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { inMemory } from '../../support/platform/filled-platform.ts'
import { callersAndThings } from './callers-and-things.suite.ts'
import { callers, table } from './caller-table.ts'

describe('the table of callers and things', () => {
  it('the table of callers and things has a line for every endpoint, and none for any other', () => {
    expect(Object.keys(table).toSorted()).toEqual(routes.map(({ operationId }) => operationId).toSorted())
  })

  it.each(routes.map((route) => [route.operationId, route] as const))(
    'says of %s what every caller gets',
    (_, route) => {
      const line = table[route.operationId] ?? {}

      for (const statuses of Object.values(line)) {
        expect(statuses.split(' ').filter((status) => /^[2-5]\d\d$/.test(status))).toHaveLength(callers.length)
      }
      const things = Object.keys(line)
      expect(things).not.toEqual([])
      if (route.path.includes('{')) expect(things).toEqual(expect.arrayContaining(['of another tenant', 'missing']))
    },
  )
})

callersAndThings(inMemory)
