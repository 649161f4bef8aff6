import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { inMemory } from '../../support/platform/filled-platform.ts'
import { callersAndThings } from './callers-and-things.suite.ts'
import { table } from './caller-table.ts'

describe('the table of callers and things', () => {
  it('the tenancy table has a line for every endpoint, and none for anything else', () => {
    expect(Object.keys(table).toSorted()).toEqual(routes.map(({ operationId }) => operationId).toSorted())
  })

  it('the tenancy table says for every endpoint what every caller gets, for things of others and for missing ones', () => {
    const wrong = Object.entries(table).flatMap(([operationId, line]) => {
      const route = routes.find((each) => each.operationId === operationId)
      const isWhole = Object.keys(line).length > 0
      const others = route?.path.includes('{') === true ? ['of another tenant', 'missing'] : []
      return isWhole && others.every((thing) => thing in line) ? [] : [operationId]
    })

    expect(wrong).toEqual([])
  })
})

callersAndThings(inMemory)
