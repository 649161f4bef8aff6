import { describe, expect, it } from 'vitest'
import { aCaller } from '../../support/platform/caller.ts'
import { aCallSetup, aChannel } from '../../support/platform/call-setup.ts'

type Setup = Awaited<ReturnType<typeof aCallSetup>>

const both = 'reload_mod_event_socket'

/** Requests by the fields that hold the name of the module. */
const refused: readonly [string, (setup: Setup) => Promise<unknown>][] = [
  ['calledId', ({ originate }) => originate({ calledId: both })],
  ['calledId', ({ originate }) => originate({ calledId: 'MOD_EVENT_SOCKET', variables: { x_mine: 'UNLOAD' } })],
  ['callerId', ({ originate }) => originate({ calledId: '9196', callerId: both })],
  [
    'auto_answer_param',
    ({ originate }) => originate({ calledId: 'reload', auto_answer_param: 'sip_auto_answer=mod_event_socket' }),
  ],
  ['variables.x_mine', ({ originate }) => originate({ calledId: '9196', variables: { x_mine: both } })],
  [
    'variables.x_mod_event_socket',
    ({ originate }) => originate({ calledId: 'reload', variables: { x_mod_event_socket: '1' } }),
  ],
  ['user', ({ eavesdrop }) => eavesdrop(aChannel, { user: both })],
  ['variables.x_mine', ({ eavesdrop }) => eavesdrop(aChannel, { variables: { x_mine: both } })],
  ['cause', ({ hangUp }) => hangUp(aChannel, both.toUpperCase())],
]

describe('a request that would have the engine reload its event socket', () => {
  it.each(refused)(
    'a request that would make the engine reload its event socket is refused by its field %s, and no engine is asked',
    async (field, send) => {
      const setup = await aCallSetup()

      await expect(send(setup)).rejects.toMatchObject({ code: 'invalid_field', details: [{ field }] })
      expect(setup.commands()).toEqual([])
    },
  )

  it("a request is refused if domain or caller contain one of the words that would reload the engine's event socket", async () => {
    const inDomain = await aCallSetup({ domain: 'reload.example.com' })
    const byCaller = await aCallSetup({ caller: aCaller({ login: 'unload' }) })

    for (const { originate } of [inDomain, byCaller]) {
      await expect(originate({ calledId: 'mod_event_socket' })).rejects.toMatchObject({
        code: 'invalid_field',
        details: [{ field: 'calledId' }],
      })
    }
  })

  it.each(['reload', 'mod_event_socket', 'mod_event'])(
    "a request does not reload the engine's event socket with %s alone",
    async (calledId) => {
      const { originate, commands } = await aCallSetup()

      await originate({ calledId })

      expect(commands()).toHaveLength(1)
    },
  )
})
