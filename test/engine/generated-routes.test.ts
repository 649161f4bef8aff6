// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
/** Generated routes at a real engine: it executes what the simulation shows. Skipped without `FREESWITCH_BIN`. */
import { describe, expect, it, vi } from 'vitest'
import type { Client } from '../../client/index.ts'
import { openDialledCalls } from '../support/engine/dialled-calls.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'
import { seeded } from '../support/records/seeded.ts'

const acme = 'acme.example.com'
const tables = 300

/** The address of the provider of all gateways. */
const provider = '127.0.0.11'

/** Makes steps that end by themselves; `number` is dialled, and `depth` says how deep steps may still branch. */
function generator(random: () => number) {
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const callflow = (number: string, depth: number): object[] =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => step(number, depth))
  const condition = () =>
    pick(
      '${x_a} == 1',
      "${x_b} == 'two'",
      '!${x_a}',
      "${caller_id_number} == '666'",
      '&match(/^6/, ${caller_id_number})',
      '&year(2000-2100)',
      "${destination_number:-1} == '5'",
    )
  const aGateway = () => ({
    type: 'gateway',
    name: pick('trunk', 'narrow', 'off', 'missing'),
    dialString: pick('44123', '+1$0', '00$1'),
  })
  const leaf = (number: string): object =>
    pick<() => object>(
      () => ({ setVar: pick<unknown>('x_a=1', 'x_a=2', 'all:x_b=two', ['x_a=1', 'x_b=two']) }),
      () => ({ unSet: pick<unknown>('x_a', ['x_a', 'x_b']) }),
      () => ({ exportVars: 'x_b=two' }),
      () => ({ setArray: 'x_list=one' }),
      () => ({ setProfileVar: 'caller_id_number=666' }),
      () => ({ answer: pick('', '183', '180') }),
      () => ({ sleep: 10 }),
      () => ({ ringback: 'ring' }),
      () => ({ playback: pick<unknown>({ tone: '%(10,0,440)' }, 'missing.wav', '${destination_number}.wav') }),
      () => ({ bridge: { endpoints: [{ type: 'user', name: pick('1001', '4711') }] } }),
      () => ({
        bridge: { strategy: 'multiple', endpoints: [{ type: 'user', name: '1001', variables: { x_a: '1' } }] },
      }),
      () => ({ bridge: { endpoints: [aGateway()] } }),
      () => ({ bridge: { endpoints: [aGateway(), { ...aGateway(), variables: { x_a: '1' } }] } }),
      () => ({ bridge: { strategy: 'multiple', endpoints: [aGateway(), { type: 'user', name: '1001' }] } }),
      () => ({ recordSession: pick('', 'stop') }),
      () => ({ blackList: 'spam' }),
      () => ({ blackList: { name: 'spam', number: '$0', actions: [{ setVar: 'x_a=2' }] } }),
      () => ({ schedule: { action: 'hangup', seconds: 3_600 } }),
      () => ({ goto: pick(`${number}9`, 'local:tag:end') }),
      () => ({ hangup: pick('USER_BUSY', 'CALL_REJECTED', '') }),
      () => ({ break: true }),
    )()
  const step = (number: string, depth: number): object => {
    if (depth === 0 || random() < 0.7) return leaf(number)
    const inner = () => callflow(number, depth - 1)
    return pick<() => object>(
      () => ({ if: { expression: condition(), then: inner(), else: inner() } }),
      () => ({
        switch: { variable: pick('x_a', '${x_b}', '$1'), case: { 1: inner(), two: inner(), default: inner() } },
      }),
      () => ({ blackList: { name: 'spam', actions: inner() } }),
      () => ({ menu: { tone: '%(10,0,440)', tries: 1, timeout: 1, digits: { 1: inner(), '#2': inner() } } }),
    )()
  }
  return { callflow, pick }
}

describe.skipIf(freeswitchBin === undefined)('generated routes at an engine of the kit', () => {
  const harness = opened(() => aGatewayHarness({ CALLS_PER_SECOND: '500' }))
  const calls = opened(() => openDialledCalls(harness().place.socketPort))

  /**
   * Makes gateways to a provider that is always busy: one, one that shows its own number and counts calls, and a
   * disabled one.
   */
  async function aProvider(admin: Client) {
    const far = await harness().phone('provider', '127.0.0.1', {
      port: harness().gatewayPort,
      ip: provider,
      isBusy: true,
    })
    const shared = { proxy: far.address, realm: provider, register: false }
    const networks = [`${provider}/32`]
    await admin.call('createGateway', { body: { ...shared, name: 'off', networks, enabled: false } })
    const narrow = { name: 'narrow', networks: ['192.0.2.0/24'], caller_id: 'number:380441112233', max_calls: 5 }
    await admin.call('createGateway', { body: { ...shared, ...narrow } })
    await admin.call('createGateway', { body: { ...shared, name: 'trunk', networks, max_calls: 5 } })
    const isTaken = async (name: string) =>
      (await harness().engine.api(`sofia status gateway ${acme}_${name}`)).includes('NOREG')
    const areTaken = async () => (await isTaken('narrow')) && isTaken('trunk')
    await vi.waitUntil(areTaken, { timeout: 15_000, interval: 200 })
    // From then on its calls are recognized.
    await admin.call('createPublicRoute', { body: { destination_number: '1', callflow: [{ hangup: 'USER_BUSY' }] } })
    await expect.poll(async () => (await far.call('1')).status, { timeout: 15_000, interval: 500 }).toBe(486)
    return far
  }

  it(`in ${tables} calls of accounts and gateways the engine executes the applications that the simulation shows`, async () => {
    const admin: Client = await harness().platform.tenant(acme)
    await admin.call('addBlacklistNumber', { params: { blacklist_name: 'spam' }, body: { number: '666' } })
    const far = await aProvider(admin)
    const { callflow, pick } = generator(seeded(16))
    const route = (kind: 'createDefaultRoute' | 'createPublicRoute', destination_number: string, of: object[]) =>
      admin.call(kind, { body: { destination_number, callflow: of } })
    let [compared, reentered, through, from, chosen] = [0, 0, 0, 0, 0]

    for (let table = 0; table < tables; table += 1) {
      const number = `7${String(table).padStart(3, '0')}`
      const end = { hangup: 'NORMAL_CLEARING', tag: 'end' }
      const isFromGateway = table % 3 === 0
      const kind = isFromGateway ? 'createPublicRoute' : 'createDefaultRoute'
      await route(kind, `${number}(1|5)`, [...callflow(number, 2), end])
      await route('createDefaultRoute', `${number}9`, [...callflow(`${number}8`, 1), end])
      // A number without a route would be of the engine's static dial plan.
      await route('createDefaultRoute', `${number}89`, [end])
      const [dialled, caller] = [`${number}${pick('1', '5')}`, pick('700', '666')]
      const source = isFromGateway ? ({ direction: 'inbound', gateway: 'trunk' } as const) : {}
      // The last one of these is no choice.
      const digits = Array.from({ length: 10 }, () => pick('1', '#2', '11'))
      const body = { number: dialled, caller, digits, ...source }
      const { steps } = (await admin.call('simulateDefaultRoutes', { body })).data
      const shown = steps.flatMap(({ application, data }) =>
        application === undefined ? [] : [comparable(`${application} ${data ?? ''}`.trim(), harness().place.sounds)],
      )

      const call = isFromGateway
        ? calls().comesIn(dialled, digits)
        : calls().dial(acme, dialled, { from: caller, stayMs: 20_000, digits })
      if (isFromGateway) await far.call(dialled, `${caller}@${provider}`)
      const { executed } = await call

      expect({ table, executed: executed.map((line) => comparable(line, harness().place.sounds)) }).toEqual({
        table,
        executed: shown,
      })
      compared += shown.length
      if (shown.some((line) => line.startsWith('set svc_route='))) reentered += 1
      if (shown.some((line) => line.includes('sofia/gateway/'))) through += 1
      if (isFromGateway) from += 1
      if (steps.some(({ kind, reason }) => kind === 'menu' && reason.startsWith('digits.'))) chosen += 1
    }
    expect(compared).toBeGreaterThan(tables * 7)
    expect(reentered).toBeGreaterThan(tables / 10)
    expect(through).toBeGreaterThan(tables / 10)
    expect(from).toBe(tables / 3)
    expect(chosen).toBeGreaterThan(tables / 20)
    expect(far.dialled.length).toBeGreaterThan(tables / 10)
  })
})

/** Replaces what only the engine knows: its folders and the call's uuid. */
function comparable(line: string, sounds: string): string {
  return line
    .replace('${sounds_folder}', sounds)
    .replace(/^set recording_file=.*/, 'set recording_file')
    .replace(/^((?:stop_)?record_session) .*/, '$1')
}
