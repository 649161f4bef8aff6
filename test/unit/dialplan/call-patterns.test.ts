import { beforeEach, describe, expect, it, test } from 'vitest'
import { KeptPatterns } from '../../../adapters/regex/linear-pattern.ts'
import { CallPatterns, type RoutePatternCompiler, TooMuchPatternWork } from '../../../core/dialplan/call-patterns.ts'
import { routeCall } from '../../../core/dialplan/route-call.ts'
import type { RoutePorts } from '../../../core/dialplan/router.ts'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as simulateDefaultRoutes } from '../../../functions/default-routes/simulate-default-routes.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aDomain, aRouteHead } from '../../support/records/records.ts'

/** A compiler of patterns as large as `size`, that match where the text is the pattern. */
const compilerOf = (size: number) => {
  const compiled: string[] = []
  const compile: RoutePatternCompiler = (pattern) => {
    compiled.push(pattern)
    return {
      size,
      finds: (text) => text === pattern,
      captures: (text) => (text === pattern ? [text] : undefined),
    }
  }
  return { compile, compiled }
}

/** Patterns of a call, and how often they rested. */
function patternsOf(size: number, most?: number) {
  const rests = { count: 0 }
  const { compile, compiled } = compilerOf(size)
  const rest = async () => {
    rests.count += 1
  }
  return { patterns: new CallPatterns({ compile, rest }, most), rests, compiled }
}

describe('the patterns of a call', () => {
  it('the process does other work after each slice of pattern matching', async () => {
    const { patterns, rests } = patternsOf(10_000)

    for (let at = 0; at < 20; at += 1) await patterns.captures('a.example.com', `p${at}`, '', '12345')

    expect(rests.count).toBe(19)
  })

  it('matching the same pattern and number again costs no further work', async () => {
    const { patterns, rests, compiled } = patternsOf(10_000)

    for (let at = 0; at < 20; at += 1) await patterns.captures('a.example.com', 'p', '', '12345')

    expect(compiled).toEqual(['p'])
    expect(rests.count).toBe(0)
  })

  it('an evaluation is interrupted after a slice of matching, and succeeds after enough repetitions', async () => {
    const { patterns, compiled } = patternsOf(10_000)
    const finds = patterns.finder('a.example.com')
    const evaluate = () => ['p0', 'p1', 'p2', 'p3'].map((pattern) => finds(pattern, '', 'p3333'.slice(0, 2)))
    const rounds: boolean[][] = []
    do rounds.push(evaluate())
    while (await patterns.restIfCut())

    expect(rounds.at(-1)).toEqual([false, false, false, true])
    expect(compiled).toEqual(['p0', 'p1', 'p2', 'p3'])
    expect(rounds.length).toBeGreaterThan(1)
  })

  it('a call whose patterns need more work than allowed is refused', async () => {
    const { patterns } = patternsOf(1_000, 10_000)
    const matchAll = async () => {
      for (let at = 0; at < 10; at += 1) await patterns.captures('a.example.com', `p${at}`, '', '12345')
    }

    await expect(matchAll()).rejects.toThrow(TooMuchPatternWork)
  })
})

describe('a call whose patterns are too much work', () => {
  const routes = Array.from({ length: 20 }, (_, at) => {
    const pattern = `p${at}`
    return aRouteHead({ id: String(at).padStart(24, '0'), destinationNumber: pattern, name: pattern })
  })
  const ports: RoutePorts = {
    accounts: { read: async () => undefined, readByNumber: async () => undefined },
    blacklists: { read: async () => undefined },
    defaultRoutes: { list: async () => ({ edition: 1, routes }), callflows: async () => new Map() },
    publicRoutes: { list: async () => ({ edition: 0, routes: [] }), callflows: async () => new Map() },
    gateways: { list: async () => [] },
    domains: { read: async () => aDomain() },
  }
  const planOf = (number: string) => {
    const call = { domain: 'a.example.com', number, caller: { number: '1000' }, variables: new Map() }
    return routeCall(ports, call, {
      now: 0,
      emergencyNumbers: ['112'],
      emergencyGateway: 'rescue',
      clientVariables: new Map(),
      patterns: patternsOf(1_000, 10_000).patterns,
    })
  }
  const applications = async (number: string) =>
    (await planOf(number)).actions.map(({ application, data }) => `${application} ${data}`)

  it('a call whose patterns are too costly ends, and its path says why', async () => {
    const plan = await planOf('5')

    expect(plan.actions).toMatchObject([{ application: 'hangup', data: 'NORMAL_TEMPORARY_FAILURE' }])
    expect(plan.steps).toMatchObject([{ reason: 'the patterns of the routes are too much work' }])
  })

  it('a call to an emergency number whose patterns are too costly goes to the emergency gateway', async () => {
    expect((await applications('112')).at(-1)).toMatch(/^bridge \[.*\]sofia\/gateway\/rescue\/112$/)
  })
})

test("a tenant's compiled patterns are limited in size, and evict none of another tenant", () => {
  const compiled: string[] = []
  const cache = new KeptPatterns(
    (pattern) => {
      compiled.push(pattern)
      return { size: pattern.length, compileSteps: 1 }
    },
    { most: 100, weigh: (pattern) => pattern?.size ?? 0 },
  )
  cache.take('quiet', 'q', '')
  cache.take('busy', 'x'.repeat(60), '')
  cache.take('busy', 'y'.repeat(60), '')
  compiled.length = 0

  cache.take('quiet', 'q', '')
  cache.take('busy', 'y'.repeat(60), '')
  cache.take('busy', 'x'.repeat(60), '')

  expect(compiled).toEqual(['x'.repeat(60)])
})

describe('a simulation over slow patterns', () => {
  let api: Api
  let headers: Record<string, string>

  beforeEach(async () => {
    api = anApi()
    headers = { ...(await api.as(await api.account({ login: '1000', domain: 'a.example.com', role: 'admin' }))) }
    for (let at = 0; at < 10; at += 1) {
      const body = { destination_number: `(?:[+1]?){990}a{0,2}b${at}`, callflow: [] }
      await api.call(createDefaultRoute, { headers, body })
    }
  })

  it('the process does other work between any two slow patterns of a simulation', async () => {
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)

    await api.call(simulateDefaultRoutes, { headers, body: { number: '1'.repeat(64) } })
    isOver = true

    expect(turns).toBeGreaterThanOrEqual(9)
  })
})
