// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
/** Default routes and blacklists at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { createServer } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { openDialledCalls } from '../support/engine/dialled-calls.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, blue] = ['acme.example.com', 'blue.example.com']
/** What routes a call is kept for a second. */
const changed = { timeout: 10_000, interval: 200 }
/** Long enough for every route of these tests to end by itself. */
const stayMs = 20_000

describe.skipIf(freeswitchBin === undefined)('default routes at an engine of the kit', () => {
  const pipeline = opened(() => aKitHarness())
  const calls = opened(() => openDialledCalls(pipeline().place.socketPort))
  let [admin, stranger]: Client[] = []

  beforeAll(async () => {
    admin = await pipeline().platform.tenant(acme)
    stranger = await pipeline().platform.tenant(blue)
    await as(admin).call('addBlacklistNumber', { params: { blacklist_name: 'spam' }, body: { number: '666' } })
  })

  const as = (client: Client | undefined): Client => {
    if (client === undefined) throw new Error('the tenants are made first')
    return client
  }
  const route = (destination_number: string, callflow: unknown[], client = admin) =>
    as(client).call('createDefaultRoute', { body: { destination_number, callflow } })
  const simulated = async (number: string, caller = '700') => {
    const { data } = await as(admin).call('simulateDefaultRoutes', { body: { number, caller } })
    return { ...data, executed: data.steps.flatMap(({ application, data: of }) => applicationOf(application, of)) }
  }
  const applicationOf = (application: string | undefined, data = '') =>
    application === undefined
      ? []
      : [
          `${application} ${data}`
            .trim()
            .replace('${sounds_folder}', pipeline().place.sounds)
            .replace(/^set recording_file=.*/, 'set recording_file'),
        ]
  /** Dials, and compares what the engine executed with what the simulation shows. */
  const dialled = async (number: string, from = '700') => {
    const { executed, cause } = await calls().dial(acme, number, { from, stayMs })
    const comparable = executed.map((line) => line.replace(/^set recording_file=.*/, 'set recording_file'))
    const simulation = await simulated(number, from)
    expect(comparable).toEqual(simulation.executed)
    return { executed, cause, end: simulation.end }
  }

  it('a route answers, plays a tone and hangs up with its cause at a real engine', async () => {
    const tone = '%(100,0,440)'
    await route('50', [{ answer: '' }, { playback: { tone, loops: 2 } }, { hangup: 'USER_BUSY' }])

    const { executed, cause, end } = await dialled('50')

    expect(executed.slice(-4)).toEqual([
      'answer',
      `playback tone_stream://${tone};loops=2`,
      'set sip_ignore_remote_cause=true',
      'hangup USER_BUSY',
    ])
    expect({ cause, end }).toEqual({ cause: 'USER_BUSY', end: { cause: 'USER_BUSY' } })
  })

  it('conditions after a wait are decided with the current variables of the call', async () => {
    const choice = { switch: { variable: 'x_tier', case: { gold: [{ sleep: 20 }, { hangup: 'CALL_REJECTED' }] } } }
    const condition = {
      expression: "${x_vip} == 1 && ${caller_id_number} == '700'",
      then: [choice],
      else: [{ echo: '' }],
    }
    await route('51', [{ setVar: ['x_vip=1', 'x_tier=gold'] }, { answer: '' }, { sleep: 20 }, { if: condition }])

    expect((await dialled('51')).cause).toBe('CALL_REJECTED')
  })

  it('a sound of the domain is looked up in its own folder, and a missing one does not end the call', async () => {
    await route('52', [{ playback: 'closed.wav' }, { hangup: 'NO_ANSWER' }])

    const { executed, cause } = await dialled('52')

    expect(executed).toContain(`playback ${pipeline().place.sounds}/${acme}/closed.wav`)
    expect(cause).toBe('NO_ANSWER')
  })

  it('a variable of an endpoint reaches the called leg with its commas', async () => {
    const [caller, phone] = [await pipeline().phone('1000', acme), await pipeline().phone('1002', acme)]
    for (const one of [caller, phone]) await one.register()
    await route('53', [
      { bridge: { endpoints: [{ type: 'user', name: '1002', variables: { toll_allow: 'local,abroad' } }] } },
    ])

    const call = await caller.call('53')

    expect({ status: call.status, rang: phone.rang }).toEqual({ status: 200, rang: ['1000'] })
    const leg = async () => {
      const rows = (await pipeline().engine.api('show channels')).split('\n')
      return rows.find((row) => row.includes('sofia/phones/1002@'))?.split(',')[0] ?? ''
    }
    const tollAllow = async () => pipeline().engine.api(`uuid_getvar ${await leg()} toll_allow`)
    await expect.poll(tollAllow, { timeout: 10_000, interval: 100 }).toBe('local,abroad')
    await call.hangUp()
  })

  it('names with apostrophes and commas arrive unchanged, whether a step, a bridge or one of its endpoints sets them', async () => {
    const [caller, phone] = [await pipeline().phone('1000', acme), await pipeline().phone('1002', acme)]
    for (const one of [caller, phone]) await one.register()
    const [set, exported, ofBridge, ofEndpoint] = [
      "O'Brien, Ann",
      "Ann d'Arc, O'Neil",
      "N'Golo, D'Arcy's",
      "Q'orianka, O'",
    ]
    const [first, second] = ['1001', '1002'].map((name) => ({
      type: 'user',
      name,
      variables: { toll_allow: 'local,abroad', directory_full_name: ofEndpoint },
    }))
    await route('58', [
      { setVar: [`directory_full_name=${set}`] },
      { exportVars: [`x-exported=1`, `outbound_caller_id_name=${exported}`] },
      {
        bridge: {
          strategy: 'multiple',
          codecs: ['PCMU', 'PCMA'],
          variables: { effective_caller_id_name: ofBridge, x_b: '2' },
          endpoints: [first, second],
        },
      },
    ])

    const call = await caller.call('58')

    expect(call.status).toBe(200)
    // The engine writes its table of channels late: new legs are missing for a moment, and old ones still in it.
    const legOf = async (login: string) => {
      const rows = (await pipeline().engine.api('show channels')).split('\n')
      const legs = rows.filter((row) => row.includes(`sofia/phones/${login}@`)).map((row) => row.split(',')[0] ?? '')
      const live = await Promise.all(legs.map((leg) => pipeline().engine.api(`uuid_exists ${leg}`)))
      return legs.find((_, index) => live[index] === 'true') ?? ''
    }
    for (const login of ['1000', '1002']) await expect.poll(() => legOf(login), changed).not.toBe('')
    const [from, to] = [await legOf('1000'), await legOf('1002')]
    const values = (leg: string, names: readonly string[]) =>
      Promise.all(names.map((name) => pipeline().engine.api(`uuid_getvar ${leg} ${name}`)))
    expect(await values(from, ['directory_full_name', 'outbound_caller_id_name'])).toEqual([set, exported])
    const ofLegs = ['effective_caller_id_name', 'x_b', 'absolute_codec_string', 'x-exported', 'outbound_caller_id_name']
    expect(await values(to, ofLegs)).toEqual([ofBridge, '2', 'PCMU,PCMA', '1', exported])
    expect(await values(to, ['toll_allow', 'directory_full_name'])).toEqual(['local,abroad', ofEndpoint])
    await call.hangUp()
  })

  it("a call to an account's number rings it, and its mailbox answers if the account is away and has one", async () => {
    expect((await dialled('1001')).cause).toBe('USER_NOT_REGISTERED')
    await as(admin).call('updateAccount', { params: { account_id: '1001' }, body: { parameters: ['vm-enabled=true'] } })

    const last = async () => (await calls().dial(acme, '1001', { stayMs: 1_500 })).executed.slice(-5)
    const mailbox = ['answer', 'sleep 1000', 'set default_language=en', `voicemail default ${acme} 1001`]
    await expect.poll(last, changed).toEqual([`bridge user/1001@${acme}`, ...mailbox])
  })

  it('a blacklisted caller is refused by a step and by the domain, and never on the way to an emergency number', async () => {
    await route('54', [{ blackList: 'spam' }, { hangup: 'NO_ANSWER' }])
    await route('11[23]', [{ blackList: 'spam' }, { hangup: 'NO_ANSWER' }])

    expect((await dialled('54', '666')).cause).toBe('CALL_REJECTED')
    expect((await dialled('54', '667')).cause).toBe('NO_ANSWER')
    expect((await dialled('113', '666')).cause).toBe('CALL_REJECTED')
    await as(admin).call('updateDomainVariables', { params: { domain_name: acme }, body: ['default_blacklist=spam'] })
    await expect.poll(async () => (await dialled('1002', '666')).cause, changed).toBe('CALL_REJECTED')
    expect((await dialled('112', '666')).cause).toBe('NO_ANSWER')
    await as(admin).call('updateDomainVariables', { params: { domain_name: acme }, body: ['default_blacklist='] })
  })

  it('a route that loops ends as the simulation says', async () => {
    await route('55', [{ goto: '55' }])

    expect(await dialled('55')).toMatchObject({
      cause: 'EXCHANGE_ROUTING_ERROR',
      end: { cause: 'EXCHANGE_ROUTING_ERROR' },
    })
  })

  it('a call of one domain uses no route and reaches no account of another', async () => {
    const elsewhere = await pipeline().phone('1001', blue)
    await elsewhere.register()
    await route('56', [{ hangup: 'USER_BUSY' }], stranger)
    await route('57', [{ bridge: { endpoints: [{ type: 'user', name: '1001' }] } }])

    expect((await dialled('57')).cause).toBe('USER_NOT_REGISTERED')
    expect((await calls().dial(acme, '56')).cause).toBe('NO_ROUTE_DESTINATION')
    expect((await calls().dial(blue, '56')).cause).toBe('USER_BUSY')
    expect(elsewhere.rang).toEqual([])
  })

  it('a number without a route falls to the static dial plan', async () => {
    expect((await simulated('9196')).matched.kind).toBe('none')
    expect((await calls().dial(acme, '9196')).executed.slice(-2)).toEqual(['answer', 'echo'])
  })
})

describe.skipIf(freeswitchBin === undefined)('an engine of the kit whose platform hangs', () => {
  const silent = opened(async () => {
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    return { url: `http://127.0.0.1:${port}`, close: async () => void server.close() }
  })
  const pipeline = opened(() => aKitHarness({ settings: { PLATFORM_URL: silent().url, PLATFORM_TIMEOUT: '1' } }))
  const calls = opened(() => openDialledCalls(pipeline().place.socketPort))

  it('a call waits for a platform that hangs no longer than the timeout, and then uses the static dial plan', async () => {
    expect((await calls().dial(acme, '9196')).executed.slice(-2)).toEqual(['answer', 'echo'])
  })
})
