import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { profileLine, readGatewayEvent, readGatewayStates } from '../../../connector/gateways/gateway-reports.ts'
import { GatewayStates } from '../../../connector/gateways/gateway-states.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { framesOf, recordedBytes } from '../../support/engine/engine-recordings.ts'
import { recordedEslEvents } from '../../support/engine/recorded-events.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain } from '../../support/records/records.ts'

const recordedTexts = (name: string) => framesOf(recordedBytes(name)).map(({ body }) => body.toString())

const domain = 'acme.example.com'
const engine = '192.0.2.1:8021'

/** An answer to `sofia xmlstatus gateway` with these gateways. */
const xmlOf = (gateways: Readonly<Record<string, string>>, profile = 'external') =>
  `<gateways>\n${Object.entries(gateways)
    .map(
      ([name, state]) =>
        `<gateway>\n<name>${name}</name>\n<profile>${profile}</profile>\n<state>${state}</state>\n<status>UP</status>\n</gateway>\n`,
    )
    .join('')}</gateways>\n`

const gatewayEvent = (subclass: string, headers: Readonly<Record<string, string>>) => ({
  name: 'CUSTOM',
  subclass: `sofia::${subclass}`,
  header: (name: string) => headers[name],
})
const stateEvent = (state: string, name = 'trunk', status = 'DOWN') =>
  gatewayEvent('gateway_state', { Gateway: `${domain}_${name}`, State: state, 'Ping-Status': status })
const goneEvent = (name = 'trunk') => gatewayEvent('gateway_delete', { Gateway: `${domain}_${name}` })
const newEvent = (name = 'trunk') => gatewayEvent('gateway_add', { Gateway: `${domain}_${name}` })

/** The states of one connector, with an engine whose event link is up. */
async function aConnector({ isUp = true } = {}) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: domain }))
  const log = capturedLog()
  const at = { answer: async () => xmlOf({}), asked: 0, profile: '-USAGE: sofia\n', isStoreAway: false }
  const put: typeof ports.gatewayStates.put = async (states) => {
    if (at.isStoreAway) throw new Error('the store is away')
    await ports.gatewayStates.put(states)
  }
  const states = new GatewayStates({
    ...time,
    store: { put, remove: (states) => ports.gatewayStates.remove(states) },
    domains: domainNames(ports.domains, time.clock),
    log,
  })
  const commands = {
    state: { kind: 'ready' } as const,
    api: async (line: string) => {
      if (line === profileLine) return at.profile
      at.asked += 1
      return at.answer()
    },
  }
  const linkUp = () => states.linkUp({ name: engine, commands })
  if (isUp) linkUp()
  const stopping = new AbortController()
  void states.follow(stopping.signal)
  await time.advance(0)
  const stored = async () =>
    Object.fromEntries(
      (await ports.gatewayStates.list(domain)).map(({ name, state, status }) => [name, `${state} ${status}`]),
    )
  return { time, ports, states, log, at, linkUp, stored }
}

test('recorded events and the recorded list of an engine are read', () => {
  const reports = recordedEslEvents('events/gateways.json').map((event) => readGatewayEvent(event))
  const lists = recordedTexts('api/gateways').map((text) => readGatewayStates(text, 'external'))

  expect(reports).toHaveLength(15)
  expect(reports).not.toContain(undefined)
  expect(reports.slice(0, 2)).toEqual([
    { kind: 'state', gateway: { domain, name: 'refused', state: 'FAIL_WAIT', status: 'DOWN' } },
    { kind: 'state', gateway: { domain, name: 'trunk', state: 'REGED', status: 'UP' } },
  ])
  expect(lists.filter((list) => list !== undefined)).toEqual([
    [
      { domain, name: 'static', state: 'NOREG', status: 'UP' },
      { domain, name: 'refused', state: 'FAIL_WAIT', status: 'DOWN' },
      { domain, name: 'trunk', state: 'REGED', status: 'UP' },
    ],
  ])
})

test.each([
  stateEvent('ELSEWHERE'),
  gatewayEvent('gateway_state', { Gateway: 'operators', State: 'REGED', 'Ping-Status': 'UP' }),
  gatewayEvent('register', { Gateway: `${domain}_trunk` }),
])('an event that is not about the state of a tenant’s gateway is left alone', (event) => {
  expect(readGatewayEvent(event)).toBeUndefined()
})

test('each state that an engine reports is stored soon, and of several only the newest', async () => {
  const { time, states, stored } = await aConnector()

  for (const state of ['TRYING', 'REGISTER']) states.hear(stateEvent(state), engine)
  states.hear(stateEvent('REGED', 'trunk', 'UP'), engine)
  await time.advance(500)
  expect(await stored()).toEqual({ trunk: 'REGED UP' })

  states.hear(stateEvent('UNREGED'), engine)
  await time.advance(500)
  expect(await stored()).toEqual({ trunk: 'UNREGED DOWN' })
})

test('the stored state of a gateway is removed when the gateway is deleted', async () => {
  const { time, states, stored } = await aConnector()
  states.hear(stateEvent('REGED'), engine)
  await time.advance(500)

  states.hear(goneEvent(), engine)
  await time.advance(500)

  expect(await stored()).toEqual({})
})

test('the state of a new gateway without events is read within two seconds', async () => {
  const { time, states, stored, at } = await aConnector()
  at.answer = async () => xmlOf({ [`${domain}_trunk`]: 'NOREG' })

  states.hear(newEvent(), engine)
  await time.advance(2_000)

  expect(await stored()).toEqual({ trunk: 'NOREG UP' })
})

test.each([
  [
    'a profile with TLS',
    '<profile><profile-info><tls-url>sip:x@192.0.2.1:5081</tls-url></profile-info></profile>',
    true,
  ],
  ['a profile without TLS', '<profile><profile-info><url>sip:x@192.0.2.1:5080</url></profile-info></profile>', false],
  ['no answer about the profile', '-USAGE: sofia\n', undefined],
])('it is known whether an engine has TLS for gateways: %s', async (_what, profile, hasTls) => {
  const { time, states, at } = await aConnector()
  expect(states.hasTls(engine)).toBeUndefined()
  at.profile = profile

  await time.advance(61_000)

  expect(states.hasTls(engine)).toBe(hasTls)
  states.linkDown(engine)
  expect(states.hasTls(engine)).toBeUndefined()
})

test('the gateways of one rescan are read together', async () => {
  const { time, states, at } = await aConnector()
  const before = at.asked

  for (let number = 0; number < 100; number += 1) states.hear(newEvent(`trunk${number}`), engine)
  await time.advance(10_000)

  expect(at.asked - before).toBe(1)
})

test("a comparison each minute finds changed gateways without events, and reads only the gateways' profile", async () => {
  const { time, states, stored, at } = await aConnector()
  states.hear(stateEvent('REGED', 'gone', 'UP'), engine)
  await time.advance(500)
  at.answer = async () =>
    xmlOf({ [`${domain}_trunk`]: 'FAIL_WAIT' }).replace('</gateways>\n', '') +
    xmlOf({ [`${domain}_other`]: 'REGED' }, 'internal').replace('<gateways>\n', '')

  await time.advance(60_500)

  expect(await stored()).toEqual({ trunk: 'FAIL_WAIT UP' })
})

test("an event that arrives while an engine is being asked takes precedence over the engine's answer", async () => {
  const { time, states, stored, at, linkUp } = await aConnector({ isUp: false })
  let answer = (_text: string) => {}
  at.answer = () => new Promise<string>((resolve) => (answer = resolve))
  linkUp()
  await time.advance(500)

  states.hear(stateEvent('REGED', 'trunk', 'UP'), engine)
  states.hear(goneEvent('deleted'), engine)
  answer(xmlOf({ [`${domain}_trunk`]: 'TRYING', [`${domain}_deleted`]: 'REGED' }))
  await time.advance(1_000)

  expect(await stored()).toEqual({ trunk: 'REGED UP' })
})

test('the states of gateways whose names contain no known domain are not stored', async () => {
  const { time, states, ports } = await aConnector()

  const foreign = { Gateway: 'unknown.example.com_trunk', State: 'REGED', 'Ping-Status': 'UP' }
  states.hear(gatewayEvent('gateway_state', foreign), engine)
  await time.advance(1_000)

  expect(await ports.gatewayStates.list('unknown.example.com')).toEqual([])
})

test('when another connector is gone all states are stored again, since it may have stored older ones last', async () => {
  const { time, states, ports, stored } = await aConnector()
  states.hear(stateEvent('REGED', 'trunk', 'UP'), engine)
  await time.advance(10_000)
  await ports.gatewayStates.put(
    (await ports.gatewayStates.list(domain)).map((each) =>
      Object.assign({}, each, { state: 'FAIL_WAIT', status: 'DOWN' }),
    ),
  )

  states.storeAll()
  await time.advance(10_000)

  expect(await stored()).toEqual({ trunk: 'REGED UP' })
})

test('after a new link to an engine all states are stored again, since changes may have been missed', async () => {
  const { time, states, ports, linkUp, at } = await aConnector()
  states.hear(stateEvent('REGED', 'trunk', 'UP'), engine)
  await time.advance(10_000)
  states.linkDown(engine)
  states.hear(stateEvent('FAIL_WAIT'), engine)
  at.answer = async () => xmlOf({ [`${domain}_trunk`]: 'REGED' })

  linkUp()
  const upSince = time.clock.now()
  await time.advance(1_000)

  expect(await ports.gatewayStates.list(domain)).toMatchObject([{ state: 'REGED' }])
  expect((await ports.gatewayStates.list(domain))[0]?.observedAt).toBeGreaterThanOrEqual(upSince)
})

test('the stored state of a gateway is renewed before it expires, even if it does not change', async () => {
  const { time, stored, at } = await aConnector()
  at.answer = async () => xmlOf({ [`${domain}_trunk`]: 'NOREG' })

  for (const hours of [11, 2, 11, 2]) {
    await time.stall(hours * 3_600_000)
    await time.advance(2_000)
  }

  expect(await stored()).toEqual({ trunk: 'NOREG UP' })
})

test('states that cannot be stored are stored when the store is back, with two lines in the log', async () => {
  const { time, states, stored, at, log } = await aConnector()
  at.isStoreAway = true
  states.hear(stateEvent('REGED', 'trunk', 'UP'), engine)
  await time.advance(30_000)
  at.isStoreAway = false

  await time.advance(6_000)

  expect(await stored()).toEqual({ trunk: 'REGED UP' })
  expect(log.lines.filter(({ message }) => message.includes('the states of gateways'))).toHaveLength(2)
})

test('gateways beyond twenty thousand have no stored state, which is logged once', async () => {
  const { time, states, log } = await aConnector()

  for (let number = 0; number < 20_005; number += 1) states.hear(stateEvent('REGED', `t${number}`), engine)
  await time.advance(0)

  expect(states.size).toBe(20_000)
  expect(log.lines.filter(({ message }) => message.includes('too many gateways'))).toHaveLength(1)
})
