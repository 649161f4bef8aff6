import { beforeEach, describe, expect, it } from 'vitest'
import { patternJudge, writtenPattern } from '../../../adapters/regex/written-patterns.ts'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { type Api, anApi } from '../../support/platform/api.ts'

const reason = 'the patterns of one request are too much work: make them simpler, or fewer'

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ login: '1000', domain: 'a.example.com', role: 'admin' }))) }
})

describe('patterns that are too much work together', () => {
  it('a callflow with patterns that are too costly together is refused at the first one above the limit', async () => {
    const condition = (at: number) => ({
      if: { expression: `&match(/(?:[+1]?){990}${at}/, \${x_a})`, then: [], else: [] },
    })
    const callflow = Array.from({ length: 60 }, (_, at) => condition(at))

    const { status, body } = await api.call(createDefaultRoute, {
      headers,
      body: { destination_number: '5', callflow },
    })

    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(reason)
    expect(JSON.stringify(body)).toMatch(/callflow\[\d+\]\.if\.expression/)
  })

  it('hooks with patterns that are too costly together are refused', async () => {
    const filter = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`variable_x${at}`, { operation: 'reg', value: `/(.?){990}${at}/` }]),
    )
    const action = { type: 'web', method: 'POST', url: 'https://receiver.example.com/' }

    const { status, body } = await api.call(createHooks, { headers, body: { event: 'CHANNEL_CREATE', action, filter } })

    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(reason)
  })
})

describe('ordinary patterns', () => {
  it('five hundred different ordinary patterns are accepted', () => {
    const judge = patternJudge()
    const problems = Array.from({ length: 500 }, (_, at) => judge(`^00${at}(\\d{1,10})$`, ''))

    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
  })

  it('a pattern that appears a thousand times is judged once', () => {
    const judge = patternJudge()
    const compile = writtenPattern()
    const isFine = () => judge('(?:[+1]?){990}', '') === undefined && compile('(?:[+1]?){290}', '') !== undefined

    expect(Array.from({ length: 1_000 }, isFine)).not.toContain(false)
  })
})
