/** Gateways on a laptop: the simulated engine asks for them, registers them, and reports their states. */
import { expect, it } from 'vitest'
import { planted } from '../support/invariants/secret-forms.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const domain = 'acme.example.com'
const within = { timeout: 20_000, interval: 100 }
const platform = opened(() => aPlatform({}))

it('a gateway registers at the simulated engine, fails with a wrong password, and is shown so until it is changed', async () => {
  const admin = await platform().tenant(domain)
  const receiver = await platform().receiver()
  const event = 'CUSTOM->sofia::gateway_state'
  await admin.call('createHooks', { body: { event, action: { type: 'web', method: 'POST', url: receiver.url } } })
  const login = { realm: 'sip.example.net', username: 'pbx' }
  const states = async () =>
    Object.fromEntries(
      (await admin.call('listGateways')).data.map(({ name, state, status }) => [name, `${state} ${status}`]),
    )

  await admin.call('createGateway', { body: { name: 'good', ...login, password: planted('password-of-a-trunk') } })
  await admin.call('createGateway', { body: { name: 'bad', ...login, password: 'wrong' } })
  await admin.call('createGateway', {
    body: { name: 'still', realm: 'sip.example.net', register: false, networks: ['198.51.100.0/24'] },
  })
  await expect.poll(states, within).toEqual({ good: 'REGED UP', bad: 'FAIL_WAIT DOWN', still: 'NOREG UP' })

  const password = planted('another-password-of-a-trunk')
  await admin.call('updateGateway', { params: { gateway_name: 'bad' }, body: { password } })
  await expect.poll(states, within).toEqual({ good: 'REGED UP', bad: 'REGED UP', still: 'NOREG UP' })
  expect(JSON.parse((await receiver.next(event)).body).data).toMatchObject({ 'Event-Domain': domain })

  await admin.call('updateGateway', { params: { gateway_name: 'good' }, body: { enabled: false } })
  await expect.poll(states, within).toMatchObject({ good: 'UNKNOWN UNKNOWN' })
})
