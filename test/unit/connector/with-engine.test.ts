import { afterEach, expect, test } from 'vitest'
import type { CommandScope, EngineCommand } from '../../../core/commands/commands.ts'
import { anEavesdrop, anOriginate } from '../../support/connector/command-message.ts'
import { simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { aHook } from '../../support/records/records.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

const tenant1 = { domain: 'tenant1.example.com', presenceId: null }
const tenant2 = { domain: 'tenant2.example.com', presenceId: null }

let close = async () => {}
afterEach(() => close())

/** A connector on the event socket of the simulated engine; `tenant1` has hooks on the events that are wanted. */
async function aConnectedConnector(wanted: readonly string[] = [], sipProfile = 'internal') {
  const harness = await simulatorHarness({ sipProfile })
  const hooks = wanted.map((event) => aHook({ event, domain: tenant1.domain }))
  const running = await aRunningConnector([{ host: '127.0.0.1', port: harness.engine.port, password: 'ClueCon' }], {
    time: harness.time,
    domains: [tenant1.domain, tenant2.domain],
    hooks,
  })
  close = async () => {
    await running.stop()
    await harness.close()
  }
  const { ports, until, connector } = running
  const run = (command: EngineCommand, scope: CommandScope = tenant1) => running.run(command, scope)
  await until(() => connector.health().status === 'OK')
  return { ports, run, until, harness }
}

test('a call can be placed, listed, held twice, resumed and hung up', async () => {
  const { run, until } = await aConnectedConnector()
  const { uuid, ...call } = anOriginate()
  const list = async (scope: CommandScope) => {
    const outcome = await run({ kind: 'list-channels' }, scope)
    return outcome?.state === 'done' ? JSON.parse(outcome.text) : outcome
  }

  expect(await run({ ...call, uuid })).toEqual({ state: 'done', text: `+OK ${uuid}\n`, uuid })
  // The engine writes its list late.
  await until(async () => {
    const [row] = (await list(tenant1)).rows
    return row?.uuid === uuid && row.callstate === 'ACTIVE' && row.dest === '9196'
  })
  expect(await list(tenant2)).toEqual({ row_count: 0, rows: [] })
  expect(await run({ kind: 'hold', uuid })).toEqual({ state: 'done', text: '+OK Success\n' })
  expect(await run({ kind: 'hold', uuid })).toEqual({ state: 'done', text: '+OK Success\n' })
  expect(await run({ kind: 'unhold', uuid })).toEqual({ state: 'done', text: '+OK Success\n' })
  expect(await run({ kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' })).toEqual({ state: 'done', text: '+OK\n' })
})

test('a variable with spaces and one with commas reach the engine unchanged', async () => {
  const { run, ports, until } = await aConnectedConnector(['CHANNEL_ANSWER'])
  const { uuid, ...call } = anOriginate({
    variables: { x_note: 'two words (Zoë): 100%; a=b', toll_allow: 'local,international' },
  })

  await run({ ...call, uuid })
  await until(() => ports.events.published.some((event) => event.uuid === uuid))

  expect(ports.events.published.find((event) => event.uuid === uuid)?.fields).toMatchObject({
    variable_x_note: 'two words (Zoë): 100%; a=b',
    variable_toll_allow: 'local,international',
  })
})

test("an eavesdrop adds a listener to a channel and returns the listener's uuid", async () => {
  const { run } = await aConnectedConnector()
  const { uuid: target, ...call } = anOriginate()
  await run({ ...call, uuid: target })
  const listening = anEavesdrop({ target, user: '1001' })

  expect(await run(listening)).toEqual({ state: 'done', text: `+OK ${listening.uuid}\n`, uuid: listening.uuid })
})

test("a call's events arrive in order, each once, and its end is the last", async () => {
  const names = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']
  const { run, ports, until } = await aConnectedConnector(names)
  const { uuid, ...call } = anOriginate({ calledId: '9199' })

  await run({ ...call, uuid })
  await until(() => ports.events.published.some(({ name }) => name === 'CHANNEL_DESTROY'))

  const published = ports.events.published.filter((event) => event.uuid === uuid)
  expect(published.map(({ name }) => name)).toEqual(names)
  expect(published.every(({ domain, fields }) => domain === tenant1.domain && fields['Event-Domain'] === domain)).toBe(
    true,
  )
})

test.each<EngineCommand>([{ kind: 'drop-registrations', login: '1001' }, { kind: 'drop-domain-registrations' }])(
  'registrations are dropped whatever the SIP profile of the engine is called: $kind',
  async (command) => {
    const { run, harness } = await aConnectedConnector([], 'office')
    const client = await harness.login()
    const contact = async () => (await client.command(`api sofia_contact 1001@${tenant1.domain}`)).body
    expect(await contact()).toMatch(/^sofia\/office\/sip:1001@/)

    expect(await run(command)).toMatchObject({ state: 'done' })

    expect(await contact()).toBe('error/user_not_registered')
  },
)

test('the calls of a deleted account end, and those of others go on', async () => {
  const { run, ports, until } = await aConnectedConnector(['CHANNEL_HANGUP_COMPLETE'])
  const [own, other] = [anOriginate({ callerId: '1001' }), anOriginate({ callerId: '1000' })]
  for (const each of [own, other]) expect(await run(each)).toMatchObject({ state: 'done' })

  expect(await run({ kind: 'drop-registrations', login: '1001' })).toMatchObject({ state: 'done' })

  const end = () =>
    ports.events.published.find(({ name, uuid }) => name === 'CHANNEL_HANGUP_COMPLETE' && uuid === own.uuid)
  await until(() => end() !== undefined)
  expect(end()?.fields['Hangup-Cause']).toBe('MANAGER_REQUEST')
  expect(await run({ kind: 'hangup', uuid: other.uuid, cause: 'NORMAL_CLEARING' })).toMatchObject({ state: 'done' })
})

test('an account is busy while its call is up', async () => {
  const { run, ports, until } = await aConnectedConnector(['CUSTOM->svc::account_status'])
  const states = () =>
    ports.events.published
      .filter(({ fields }) => fields['Account-User'] === '1000')
      .map(({ fields }) => fields['Account-User-State'])
  expect(await run({ kind: 'drop-registrations', login: '1000' })).toMatchObject({ state: 'done' })
  expect(await run({ kind: 'flush-account', login: '1000' })).toMatchObject({ state: 'done' })
  await until(() => states().includes('ONHOOK'))

  await run(anOriginate({ calledId: '9199' }))
  await until(() => states().at(-1) === 'ONHOOK' && states().includes('ISBUSY'))

  expect(states().slice(-3)).toEqual(['ONHOOK', 'ISBUSY', 'ONHOOK'])
})
