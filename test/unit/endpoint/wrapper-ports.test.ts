import { expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { type Route, needsOf } from '../../../contracts/routes/route.ts'
import { cloudOwnPorts } from '../../../functions/endpoint/own-ports.ts'

/** The ports that the wrapper alone needs for a route. */
const wrapperNeeds = (route: Route) => needsOf({ ...route, needs: {} })

it.each(routes)('the wrapper of $operationId makes exactly the ports that it needs itself', async (route) => {
  const context = { env: { AWS_REGION: 'eu-central-1' }, clock: systemClock, random: systemRandomness }

  const ports = cloudOwnPorts(route, context)

  const made = Object.keys(wrapperNeeds(route)).filter((port) => port !== 'secretBox')
  expect(Object.keys(ports).sort()).toEqual(made.sort())
})

it.each(routes.filter((route) => 'secretBox' in wrapperNeeds(route)))(
  '$operationId is given the secret box that encrypts its answers, since the wrapper makes none',
  (route) => {
    expect(Object.keys(route.needs)).toContain('secretBox')
  },
)

it("only operations on domains themselves, and those that its settings decide, read a domain besides the wrapper's read", () => {
  const both = routes.filter((route) => wrapperNeeds(route)['domains'] !== undefined && readsDomains(route))

  expect(both.map(({ operationId }) => operationId).sort()).toEqual([
    'addBlacklistNumber',
    'beginErasure',
    'createGateway',
    'deleteDomain',
    'listDomains',
    'listGateways',
    'readBlacklistNumber',
    'readDomain',
    'readGateway',
    'removeBlacklistNumber',
    'replaceGateway',
    'simulateDefaultRoutes',
    'updateDomainParameters',
    'updateDomainVariables',
    'updateGateway',
  ])
})

function readsDomains({ needs }: Route): boolean {
  return needs.domains?.some((method) => method === 'read') === true
}

it.each(routes)('$operationId may read domains for its wrapper where root names the domain to work in', (route) => {
  const namesDomain = route.authentication === 'token' && route.domain !== 'none'

  expect(wrapperNeeds(route)['domains']).toEqual(namesDomain ? ['read'] : undefined)
})
