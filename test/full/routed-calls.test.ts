// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
/** Default routes and blacklists rule the calls of the simulated engine, as the simulation shows them. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { type DialledCalls, openDialledCalls } from '../support/engine/dialled-calls.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const domain = 'acme.example.com'
/** What callers press at a menu. */
const digits = ['1']

describe('a call of the simulated engine', () => {
  const platform = opened(() => aPlatform())
  const dialled = opened(() => openDialledCalls(platform().platform.engine?.port ?? 0))
  let admin: Client

  beforeAll(async () => {
    admin = await platform().tenant(domain)
    await admin.call('addBlacklistNumber', { params: { blacklist_name: 'spam' }, body: { number: '666' } })
    for (const [destination_number, callflow] of routes) {
      await admin.call('createDefaultRoute', { body: { destination_number, callflow } })
    }
  })

  const withoutNames = (lines: readonly string[]) =>
    lines.map((line) => line.replace(/^set recording_file=.*/, 'set recording_file'))
  const simulated = async (number: string, caller: string) => {
    const { data } = await admin.call('simulateDefaultRoutes', { body: { number, caller, digits } })
    return withoutNames(
      data.steps.flatMap(({ application, data: of = '' }) =>
        application === undefined ? [] : [`${application} ${of}`.trim()],
      ),
    )
  }
  const dial = async (number: string, from: string): ReturnType<DialledCalls['dial']> => {
    const { executed, cause } = await dialled().dial(domain, number, { from, stayMs: 1_000, digits })
    return { executed: withoutNames(executed), cause }
  }

  it.each([
    ['50', '700', 'USER_BUSY'],
    ['51', '700', 'CALL_REJECTED'],
    ['52', '700', 'NO_ANSWER'],
    ['52', '666', 'CALL_REJECTED'],
    ['53', '700', 'USER_BUSY'],
    ['54', '700', 'USER_BUSY'],
  ])('a call to %s from %s runs what the simulation shows, and ends with %s', async (number, from, cause) => {
    const call = await dial(number, from)

    expect(call.executed).toEqual(await simulated(number, from))
    expect(call.cause).toBe(cause)
  })

  it('a call to an account rings its phone', async () => {
    const { executed } = await dial('1001', '700')

    expect(executed.at(-1)).toBe(`bridge user/1001@${domain}`)
  })

  it('a call goes out through a gateway, and returns from it to an account by a public route', async () => {
    const trunk = { name: 'trunk', proxy: '127.0.0.1:5070', register: false, networks: ['127.0.0.1/32'] }
    await admin.call('createGateway', { body: trunk })
    const endpoints = [{ type: 'gateway', name: 'trunk', dialString: '97$1' }]
    await admin.call('createDefaultRoute', {
      body: { destination_number: '0(\\d+)', callflow: [{ bridge: { endpoints } }] },
    })
    const body = { destination_number: '380441234567', gateway: 'trunk', callflow: [{ goto: '1001' }] }
    await admin.call('createPublicRoute', { body })
    const within = { timeout: 20_000, interval: 100 }
    const state = async () => (await admin.call('readGateway', { params: { gateway_name: 'trunk' } })).data.state
    await expect.poll(state, within).toBe('NOREG')

    const call = dialled().dial(domain, '0380441234567', { stayMs: 5_000 })

    const called = async () => (await admin.call('listChannels')).data.rows.map(({ dest }) => dest)
    await expect.poll(called, within).toEqual(expect.arrayContaining(['1001', '97380441234567']))
    // The platform decides which number a gateway shows: this account has none to show.
    const shown = '[origination_caller_id_number=anonymous,origination_caller_id_name=anonymous]'
    expect((await call).executed.at(-1)).toBe(`bridge ${shown}sofia/gateway/${domain}_trunk/97380441234567`)
  })

  it("a call without a route of the platform gets the simulated engine's own numbers", async () => {
    expect((await dial('5100', '700')).executed).toEqual(['hangup USER_BUSY'])
  })
})

const choice = { expression: "${x_tier} == 'gold'", then: [{ hangup: 'CALL_REJECTED' }], else: [{ echo: '' }] }
const routes: readonly (readonly [number: string, callflow: object[]])[] = [
  ['50', [{ answer: '' }, { playback: { tone: '%(20,0,440)' } }, { hangup: 'USER_BUSY' }]],
  ['51', [{ setVar: 'x_tier=gold' }, { answer: '' }, { sleep: 20 }, { if: choice }]],
  ['52', [{ blackList: 'spam' }, { hangup: 'NO_ANSWER' }]],
  ['53', [{ goto: '50' }]],
  ['54', [{ menu: { tone: 'dial', digits: { 1: [{ hangup: 'USER_BUSY' }] } } }, { hangup: 'NO_ANSWER' }]],
]
