import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { signedInAdmin } from '../support/cli/signed-in-admin.ts'

const domain = 'as-code.example.com'
const within = { timeout: 60_000, interval: 500 }
const { user, admin, inFolder } = signedInAdmin(domain)

const exported = async () => (await user.run(['export'])).stdout

/** Writes the domain as it is, with a part replaced, into a file. */
async function edited(name: string, part: RegExp, replacement: string): Promise<string> {
  const before = await exported()
  const text = before.replace(part, replacement)
  expect(text).not.toBe(before)
  writeFileSync(inFolder(name), text)
  return inFolder(name)
}

async function numbersOf(list: string): Promise<readonly (string | undefined)[]> {
  const params = { blacklist_name: list }
  const entries = await admin().call('readBlacklist', { params, query: { limit: 1000 } })
  return entries.map(({ number }) => number)
}

it('an edited document can be planned, applied and exported again, and rolled back', async () => {
  const before = await exported()
  const file = await edited(
    'first.yaml',
    /^hooks: .*$/m,
    'hooks:\n  - {event: CHANNEL_ANSWER, url: "http://127.0.0.1:9/"}',
  )
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(
      /^accounts:$/m,
      'accounts:\n  front-desk: {role: user, password: "${env:DESK}"}',
    ),
  )

  const planned = await user.run(['plan', file])
  const applied = await user.run(['apply', file, '--yes'], { env: { DESK: 'a-long-enough-password' } })
  const again = await user.run(['plan', file])

  expect(planned.stdout).toBe(
    '+ account front-desk\n+ hook CHANNEL_ANSWER to http://127.0.0.1:9/\n2 to add, 0 to change, 0 to remove.\n',
  )
  expect(applied).toMatchObject({ status: 0, stderr: 'apply reads from your environment: DESK\n' })
  expect(applied.stdout).toContain('2 steps done; the domain is now version 2')
  expect(again.stdout).toBe('No changes.\n')
  expect(await exported()).not.toContain('a-long-enough-password')
  const trail = await admin().call('listAudit', { query: { filter: '{"method":"PUT"}' } })
  expect(trail.data.map(({ path }) => path)).toEqual([2, 1].map((n) => `/api/v2/domains/${domain}/versions/${n}`))

  const back = await user.run(['rollback', '1', '--yes'])

  expect(back.status).toBe(0)
  expect(await exported()).toBe(before)
  expect((await user.run(['rollback'])).stdout).toContain('rolled back to version 1')
})

it('an interrupted apply is finished by the same plan', async () => {
  const wanted = Array.from({ length: 120 }, (_, index) => `49${1000 + index}`)
  const file = await edited('long.yaml', /^blacklists: .*$/m, `blacklists:\n  spam: [${wanted.join(', ')}]`)
  const plan = inFolder('long.plan')
  await user.run(['plan', file, '--output', plan])
  const first = user.start(['apply', plan, '--yes'])
  await expect.poll(async () => (await numbersOf('spam')).length, within).toBeGreaterThan(3)
  first.child.kill('SIGKILL')
  await first.ended()
  const left = wanted.length - (await numbersOf('spam')).length
  expect(left).toBeGreaterThan(0)

  const { status, stdout } = await user.run(['apply', plan, '--yes'])

  expect(status).toBe(0)
  expect(Number(/^(\d+) steps done/m.exec(stdout)?.[1])).toBeLessThanOrEqual(left)
  expect(await numbersOf('spam')).toEqual(wanted)
  expect((await user.run(['plan', file])).stdout).toBe('No changes.\n')
})

it('a plan is refused as a whole if the domain was changed meanwhile', async () => {
  const file = await edited('late.yaml', /^variables: .*$/m, 'variables: {timezone: Europe/Kyiv, x_late: "1"}')
  const plan = inFolder('late.plan')
  await user.run(['plan', file, '--output', plan])
  const added = await admin().call('createHooks', {
    body: { event: 'DTMF', action: { type: 'web', method: 'POST', url: 'http://127.0.0.1:9/' } },
  })
  const before = await exported()

  const refused = await user.run(['apply', plan, '--yes'])

  expect(refused).toMatchObject({ status: 1, stdout: '' })
  expect(refused.stderr).toContain('the domain changed since it was planned (hook): plan again')
  expect(await exported()).toBe(before)
  for (const hook_id of added.data.insertedIds) await admin().call('deleteHook', { params: { hook_id } })
})

it('a plan that changes routes names recent calls that would now be routed differently', async () => {
  const route = { destination_number: '^7[01]00$', name: 'lobby', callflow: [{ answer: '' }, { hangup: '' }] }
  await admin().call('createDefaultRoute', { body: route })
  for (const calledId of ['7000', '9198']) await admin().call('originateCall', { body: { callerId: '1001', calledId } })
  const search = { body: { query: 'destination_number:7000 OR destination_number:9198' } }
  await expect.poll(async () => (await admin().call('searchCdrs', search)).hits.total, within).toBe(2)
  const file = await edited('routes.yaml', /- hangup: ""/, '- hangup: USER_BUSY')

  const planned = await user.run(['plan', file])
  const unchanged = await user.run(['plan', await edited('renamed.yaml', /name: lobby/, 'name: entrance')])

  expect(planned.stdout).toContain('~ default route "lobby"')
  expect(planned.stdout).toContain('of the last 30 days, 1 would now go elsewhere.')
  expect(planned.stdout).toMatch(
    /1001 +7000 +1 +[0-9a-f-]{36} +route "lobby" \(NORMAL_CLEARING\) +route "lobby" \(USER_BUSY\)/,
  )
  expect(unchanged.stdout).toContain('of the last 30 days, 0 would now go elsewhere.')
})

it('a plan that changes public routes names recent calls from gateways that would now be routed differently', async () => {
  const trunk = { name: 'trunk', proxy: '127.0.0.1:5070', register: false, networks: ['127.0.0.1/32'] }
  await admin().call('createGateway', { body: trunk })
  const endpoints = [{ type: 'gateway', name: 'trunk', dialString: '97$1' }]
  await admin().call('createDefaultRoute', {
    body: { destination_number: '0(\\d+)', callflow: [{ bridge: { endpoints } }] },
  })
  const reception = { destination_number: '^38044\\d+$', name: 'reception', callflow: [{ answer: '' }, { hangup: '' }] }
  await admin().call('createPublicRoute', { body: reception })
  const state = async () => (await admin().call('readGateway', { params: { gateway_name: 'trunk' } })).data.state
  await expect.poll(state, within).toBe('NOREG')
  await admin().call('originateCall', { body: { callerId: '1001', calledId: '0380441234567' } })
  const search = { body: { query: 'destination_number:380441234567 AND direction:inbound' } }
  await expect.poll(async () => (await admin().call('searchCdrs', search)).hits.total, within).toBe(1)

  const planned = await user.run([
    'plan',
    await edited('public.yaml', /(name: reception[^]*?)- hangup: ""/, '$1- hangup: USER_BUSY'),
  ])
  const unchanged = await user.run(['plan', await edited('renamed.yaml', /name: reception/, 'name: desk')])

  expect(planned.stdout).toContain('~ public route "reception"')
  expect(planned.stdout).toContain('of the last 30 days, 1 would now go elsewhere.')
  expect(planned.stdout).toMatch(
    /1001 +380441234567 +1 +[0-9a-f-]{36} +route "reception" \(NORMAL_CLEARING\) +route "reception" \(USER_BUSY\)/,
  )
  expect(unchanged.stdout).toContain('of the last 30 days, 0 would now go elsewhere.')
})
