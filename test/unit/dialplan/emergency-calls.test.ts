import { describe, expect, it } from 'vitest'
import { routePattern } from '../../../adapters/regex/route-pattern.ts'
import { CallPatterns } from '../../../core/dialplan/call-patterns.ts'
import { routeCall } from '../../../core/dialplan/route-call.ts'
import type { RoutePorts } from '../../../core/dialplan/router.ts'
import { positionVariable } from '../../../core/dialplan/run-callflow.ts'
import { aDomain, aRouteHead, anAccount } from '../../support/records/records.ts'

const route = aRouteHead()
const account = anAccount({ login: '1000', variables: { outbound_caller_id_number: '380441230001' } })

/** Returns the last application of a call to 112 whose domain has one route. */
async function lastOf(callflow: unknown, { gateway = 'rescue', position = '', parameters = {} } = {}) {
  const ports: RoutePorts = {
    accounts: { read: async () => account, readByNumber: async () => undefined },
    blacklists: { read: async () => undefined },
    defaultRoutes: {
      list: async () => ({ edition: 1, routes: [route] }),
      callflows: async () => new Map([[route.id, callflow as never]]),
    },
    publicRoutes: { list: async () => ({ edition: 0, routes: [] }), callflows: async () => new Map() },
    gateways: { list: async () => [] },
    domains: { read: async () => aDomain({ parameters }) },
  }
  const variables = new Map(position === '' ? [] : [[positionVariable, position] as const])
  const call = {
    domain: 'a.example.com',
    number: '112',
    caller: { number: '1000', login: '1000', sent: '447700900123' },
    variables,
  }
  const { actions } = await routeCall(ports, call, {
    now: 0,
    emergencyNumbers: ['112'],
    emergencyGateway: gateway,
    clientVariables: new Map(),
    patterns: new CallPatterns({ compile: routePattern, rest: async () => {} }),
  })
  const last = actions.at(-1)
  return `${last?.application} ${last?.data}`
}

const unreadable = [{ 'not a step': true }]
const showing = (number: string) =>
  `bridge [origination_caller_id_number=${number},origination_caller_id_name=${number}]sofia/gateway/rescue/112`
const toGateway = showing('380441230001')

describe('an emergency call whose route cannot be used', () => {
  it('an emergency call goes to the emergency gateway when its route cannot be read', async () => {
    expect(await lastOf(unreadable)).toBe(toGateway)
  })

  it('an emergency call goes to the emergency gateway if its route is deleted in the middle of the call', async () => {
    expect(await lastOf([], { position: `${'f'.repeat(24)}:2:112` })).toBe(toGateway)
  })

  it('an emergency call shows a number of the domain, whatever the phone has sent', async () => {
    expect(await lastOf(unreadable, { parameters: { 'own-numbers': '380441230009' } })).toBe(showing('380441230009'))
  })

  it('an emergency call without a gateway ends when its route cannot be read', async () => {
    expect(await lastOf(unreadable, { gateway: '' })).toBe('hangup NORMAL_TEMPORARY_FAILURE')
  })
})
