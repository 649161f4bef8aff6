import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../../core/errors.ts'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import { aCallSetup, aChannel, chosenUuid } from '../../support/platform/call-setup.ts'

type Setup = Awaited<ReturnType<typeof aCallSetup>>

const orders: [string, (setup: Setup) => Promise<unknown>][] = [
  ['originate', ({ originate }) => originate({ calledId: '1001' })],
  ['hold', ({ hold }) => hold(aChannel, 'hold')],
  ['unhold', ({ hold }) => hold(aChannel, 'unhold')],
  ['hang up', ({ hangUp }) => hangUp(aChannel)],
  ['eavesdrop', ({ eavesdrop }) => eavesdrop(aChannel)],
]

const failures: [string, CommandOutcome, ErrorCode, object][] = [
  [
    "the engine's refusal",
    { state: 'refused', text: '-ERR USER_BUSY\n' },
    'engine_refused',
    { message: '-ERR USER_BUSY\n' },
  ],
  [
    "the engine's usage text",
    { state: 'refused', text: '-USAGE: <uuid>' },
    'engine_refused',
    { message: '-USAGE: <uuid>' },
  ],
  ["the engine's word for no channel", { state: 'refused', text: '-ERR No such channel!\n' }, 'not_found', {}],
  ['a channel that is not in scope', { state: 'absent' }, 'not_found', { message: 'no such channel' }],
  [
    'a command past its deadline',
    { state: 'unsent', reason: 'expired' },
    'engine_unavailable',
    { retryAfterSeconds: 5 },
  ],
  ['a link that is down', { state: 'unsent', reason: 'disconnected' }, 'engine_unavailable', { retryAfterSeconds: 5 }],
  ['a connector that is full', { state: 'unsent', reason: 'busy' }, 'rate_limited', { retryAfterSeconds: 5 }],
  ['an engine that is only observed', { state: 'unsent', reason: 'observed' }, 'conflict', {}],
  ['a link that went down after sending', { state: 'unknown', reason: 'disconnected' }, 'outcome_unknown', {}],
  [
    'an engine that answered and did not say what was done',
    { state: 'unknown', reason: 'unclear' },
    'outcome_unknown',
    {},
  ],
  ['a connector that died after sending', { state: 'unknown', reason: 'connector_lost' }, 'outcome_unknown', {}],
]

describe.each(orders)('%s', (_order, send) => {
  it.each(failures)(
    'an order to the engine meets %s with the error of the contract',
    async (_title, outcome, code, extras) => {
      const setup = await aCallSetup({ outcome })

      await expect(send(setup)).rejects.toMatchObject({ code, ...extras })
    },
  )
})

describe.each(orders.filter(([order]) => ['hold', 'unhold', 'hang up'].includes(order)))('%s', (_order, send) => {
  it.each([[undefined], [{ state: 'unknown', reason: 'timeout' } as const]])(
    'without an answer in time (%o) is engine_timeout',
    async (outcome) => {
      await expect(send(await aCallSetup({ outcome }))).rejects.toMatchObject({ code: 'engine_timeout' })
    },
  )
})

describe.each(orders.filter(([order]) => ['originate', 'eavesdrop'].includes(order)))('%s', (_order, send) => {
  it.each([{ reason: 'disconnected' }, { reason: 'connector_lost' }] as const)(
    'an order with an unknown outcome (%o) names the uuid that was chosen for the call',
    async ({ reason }) => {
      const setup = await aCallSetup({ outcome: { state: 'unknown', reason } })

      await expect(send(setup)).rejects.toMatchObject({
        code: 'outcome_unknown',
        details: [{ field: 'uuid', problem: `${chosenUuid} may be up` }],
      })
    },
  )
})

describe('hold and hang-up', () => {
  const done: CommandOutcome = { state: 'done', text: '+OK whatever the engine says\n' }

  it.each(['hold', 'unhold'])('the channel operation %s answers +OK Success', async (state) => {
    const { hold, commands } = await aCallSetup({ outcome: done })

    expect(await hold(aChannel, state)).toEqual({ status: 'OK', info: '+OK Success\n' })
    expect(commands()).toMatchObject([{ command: { kind: state, uuid: aChannel }, waitMs: 20_000 }])
  })

  it('a hang-up without a cause uses NORMAL_CLEARING', async () => {
    const { hangUp, commands } = await aCallSetup({ outcome: done })

    expect(await hangUp(aChannel)).toEqual({ status: 'OK', info: '+OK\n' })
    expect(commands()).toMatchObject([{ command: { kind: 'hangup', uuid: aChannel, cause: 'NORMAL_CLEARING' } }])
  })

  it('a hang-up uses the requested cause', async () => {
    const { hangUp, commands } = await aCallSetup({ outcome: done })

    await hangUp(aChannel, 'USER_BUSY')

    expect(commands()).toMatchObject([{ command: { cause: 'USER_BUSY' } }])
  })

  it('an order of a caller that may touch only its own channels is limited to its presence id', async () => {
    const { hold, hangUp, commands } = await aCallSetup({ outcome: done, scope: 'own' })

    await hold(aChannel, 'hold')
    await hangUp(aChannel)

    const scope = { domain: 'a.example.com', presenceId: '1000@a.example.com' }
    expect(commands()).toMatchObject([{ scope }, { scope }])
  })
})

it('a pending eavesdrop names the uuid of the listening leg', async () => {
  const { eavesdrop } = await aCallSetup({ outcome: undefined })

  expect(await eavesdrop(aChannel)).toEqual({ status: 'OK', info: `+OK ${chosenUuid}\n`, pending: true })
})
