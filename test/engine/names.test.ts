/** Names of people at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../client/index.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'

const domain = 'acme.example.com'
const names = [
  "O'Neil",
  "O'Neil, Bob",
  "Лук'яненко, Зоя (Sales)",
  "d'Arc d'Or",
  "'",
  "''",
  ',',
  "a,'b",
  "Bob '",
  "'n, 't",
  "s's",
]

describe.skipIf(freeswitchBin === undefined)('a name with apostrophes and commas', () => {
  const harness = opened(() => aKitHarness())
  let admin: Client | undefined

  beforeAll(async () => {
    admin = await harness().platform.tenant(domain)
  })

  /** An answer of the engine; the socket reads bytes. */
  const api = async (command: string) => Buffer.from(await harness().engine.api(command), 'latin1').toString('utf8')
  const kept = (variable: string) => api(`user_data 1002@${domain} var ${variable}`)
  /** The names of the channels that the engine has now, by a variable. */
  const shown = async (variable: string) => {
    const { rows } = JSON.parse(await harness().engine.api('show channels as json')) as { rows?: { uuid: string }[] }
    return Promise.all((rows ?? []).map(({ uuid }) => api(`uuid_getvar ${uuid} ${variable}`)))
  }
  /** The engine lists a channel a moment after its answer. */
  const expectShown = (variable: string, value: string, name: string) =>
    expect.poll(() => shown(variable), { timeout: 10_000, message: name }).toContain(value)
  const hangUp = async () => {
    await harness().engine.api('hupall')
    await vi.waitUntil(async () => (await shown('uuid')).length === 0, 10_000)
  }

  it('reaches the engine as it is from the variables of an originate', async () => {
    const phone = await harness().phone('1001', domain)
    expect((await phone.register()).status).toBe(200)
    for (const name of names) {
      const variables = { effective_caller_id_name: name, x_after: 'still here' }
      await admin?.call('originateCall', { body: { callerId: '1001', calledId: '9196', variables } })

      await expectShown('effective_caller_id_name', name, name)
      await expectShown('x_after', 'still here', name)
      await hangUp()
    }
  }, 120_000)

  it('reaches the engine as it is from an account and from the steps of a route', async () => {
    const phone = await harness().phone('1002', domain)
    expect((await phone.register()).status).toBe(200)
    for (const [index, name] of names.entries()) {
      await admin?.call('updateAccount', {
        params: { account_id: '1002' },
        body: { variables: [`outbound_caller_id_name=${name}`] },
      })
      const callflow = [
        { setVar: `effective_caller_id_name=${name}` },
        { setProfileVar: `callee_id_name=${name}` },
        { answer: '' },
        { echo: '' },
      ]
      // A number for each: what replaces a route of the same number may be in force a second later.
      await admin?.call('createDefaultRoute', { body: { destination_number: `77${index}`, name: 'r', callflow } })
      // The engine keeps an account until the connector flushes it.
      await expect.poll(() => kept('outbound_caller_id_name'), { timeout: 10_000 }).toBe(name)
      const call = await phone.call(`77${index}`)
      expect(call.status).toBe(200)

      await expectShown('outbound_caller_id_name', name, name)
      await expectShown('effective_caller_id_name', name, name)
      await expectShown('callee_id_name', name, name)
      await call.hangUp()
      await hangUp()
    }
  }, 120_000)
})
