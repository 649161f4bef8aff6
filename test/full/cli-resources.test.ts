import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { signedInAdmin } from '../support/cli/signed-in-admin.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { planted } from '../support/invariants/secret-forms.ts'

const domain = 'resources.example.com'
const within = { timeout: 60_000, interval: 500 }
const { rig, user, inFolder } = signedInAdmin(domain)

it('routes, gateways, blacklists and tokens of a domain are made, read, moved and removed', async () => {
  const route = JSON.stringify({ destination_number: '^77$', name: 'seven', callflow: [{ answer: '' }, { echo: '' }] })
  const { _id } = JSON.parse((await user.run(['routes', 'create', '-', '--json'], { input: route })).stdout) as {
    _id: string
  }
  const simulated = await user.run(['routes', 'simulate', '77', '--from', '1001'])
  expect(simulated.stdout).toMatch(/^77 goes to: default seven/)
  for (const words of [
    ['up', _id],
    ['down', _id],
    ['get', _id],
  ])
    expect((await user.run(['routes', ...words])).status).toBe(0)
  expect((await user.run(['routes', 'list'])).stdout).toContain('^77$')
  expect((await user.run(['routes', 'delete', _id, '--yes'])).status).toBe(0)

  const trunk = { name: 'trunk', realm: 'sip.example.net', username: 'pbx' }
  writeFileSync(inFolder('trunk.json'), JSON.stringify(trunk))
  const create = ['gateways', 'create', inFolder('trunk.json'), '--password-stdin']
  const password = planted('password-of-a-trunk')
  expect((await user.run(create, { input: `${password}\n` })).stdout).toBe('created trunk\n')
  expect((await user.run(['gateways', 'list'])).stdout).toMatch(/^trunk +\w+ +\w+ +yes +sip\.example\.net +yes$/m)
  expect(await user.json(['gateways', 'get', 'trunk'])).toMatchObject({ ...trunk, password: '********' })
  const publicRoute = JSON.stringify({
    destination_number: '^88$',
    name: 'eight',
    gateway: 'trunk',
    callflow: [{ answer: '' }],
  })
  const made = await user.run(['public-routes', 'create', '-', '--json'], { input: publicRoute })
  const { _id: publicId } = JSON.parse(made.stdout) as { _id: string }
  expect((await user.run(['routes', 'simulate', '88', '--gateway', 'trunk'])).stdout).toMatch(
    /^88 goes to: public eight/,
  )
  expect((await user.run(['public-routes', 'list'])).stdout).toContain('^88$')
  expect((await user.run(['public-routes', 'delete', publicId, '--yes'])).status).toBe(0)
  expect((await user.run(['gateways', 'delete', 'trunk', '--yes'])).stdout).toBe('deleted trunk\n')

  expect((await user.run(['blacklists', 'add', 'spam', '666', '--note', 'night'])).stdout).toBe('666 is on spam\n')
  expect((await user.run(['blacklists', 'get', 'spam'])).stdout).toBe('NUMBER  EXPIRES  NOTE\n666              night\n')
  expect((await user.run(['blacklists', 'remove', 'spam', '666'])).status).toBe(0)
  expect((await user.run(['blacklists', 'delete', 'spam', '--yes'])).status).toBe(1)

  const { token, data } = (await user.json(['tokens', 'create', '--role', 'user'])) as {
    token: string
    data: { uuid: string }
  }
  const env = { CALLPLANE_URL: rig().url, CALLPLANE_TOKEN: token, XDG_CONFIG_HOME: inFolder('no-profile') }
  expect((await user.run(['whoami'], { env })).stdout).toContain(data.uuid)
  expect((await user.run(['tokens', 'list'])).stdout).not.toContain(token)
  expect((await user.run(['tokens', 'disable', data.uuid])).status).toBe(0)
  expect((await user.run(['whoami'], { env })).status).toBe(3)
  expect((await user.run(['tokens', 'delete', data.uuid, '--yes'])).status).toBe(0)
  expect((await user.run(['audit', '--limit', '5'])).stdout).toMatch(/\/settings\/token/)
})

it('a recording is downloaded into a file that only its user can read, once', async () => {
  const uuid = (await user.run(['call', '5000', '--from', '1001', '--detach'])).stdout.trim()
  const list = () => user.json(['recordings', 'list', uuid]).catch(() => [])
  await expect.poll(list, within).toMatchObject([{ status: 'stored' }])
  const file = inFolder('call.wav')

  const other = await user.run(['recordings', 'download', uuid, '--name', 'no-such-recording', '--output', file])
  expect([other.status, other.stdout]).toEqual([1, ''])
  expect((await user.run(['recordings', 'download', uuid, '--output', file])).status).toBe(0)

  expect(readFileSync(file).toString('latin1', 0, 4)).toBe('RIFF')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const again = await user.run(['recordings', 'download', uuid, '--output', file])
  expect(again).toMatchObject({ status: 2, stderr: expect.stringMatching(/is there already/) })
})

it('root makes, shows and deletes a domain, and must name the domain of other commands', async () => {
  const root = ['--profile', 'root']
  const words = ['login', '--url', rig().url, '--user', 'root', '--password-stdin', ...root]
  await user.run(words, { input: rig().platform.kept.rootPassword })
  const name = 'cli-made.example.com'

  expect((await user.run(['domains', 'create', name, '--customer', '4711', ...root])).stdout).toBe(`created ${name}\n`)
  expect((await user.run(['domains', 'get', name, ...root])).stdout).toMatch(/customer +4711/)
  const nowhere = await user.run(['accounts', 'list', ...root])
  expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringMatching(/name the domain with --domain/) })
  expect((await user.run(['accounts', 'list', '--domain', name, ...root])).status).toBe(0)
  expect((await user.run(['domains', 'delete', name, '--yes', ...root])).status).toBe(0)
  expect((await user.run(['domains', 'list', ...root])).stdout).not.toContain(name)
})

it('accounts are made, changed, shown without their digest, and deleted', async () => {
  const made = await user.run(['accounts', 'create', '2100', '--role', 'user', '--password-stdin'], {
    input: `${tenantPassword('2100')}\n`,
  })

  expect(made.status).toBe(0)
  expect((await user.run(['accounts', 'update', '2100', '--variable', 'default_language=fr'])).status).toBe(0)
  expect(await user.json(['accounts', 'get', '2100'])).toMatchObject({ variable_default_language: 'fr' })
  expect(Object.keys((await user.json(['accounts', 'get', '2100'])) as object)).not.toContain('a1-hash')
  expect((await user.run(['accounts', 'delete', '2100'])).status).toBe(2)
  expect((await user.run(['accounts', 'delete', '2100', '--yes'])).status).toBe(0)
  expect((await user.run(['accounts', 'get', '2100'])).status).toBe(1)
})

it('a hook can be created with its secret in a private file, tested, rehearsed, watched, replayed and deleted', async () => {
  const receiver = await rig().receiver()
  const file = inFolder('hook.secret')
  const url = receiver.url
  const created = await user.run(['hooks', 'create', '--event', 'CHANNEL_ANSWER', '--url', url, '--secret-file', file])
  const id = /created (\S+)/.exec(created.stdout)?.[1] ?? ''

  expect(created.stdout + created.stderr).not.toContain('whsec_')
  expect(readFileSync(file, 'utf8')).toMatch(/^whsec_/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await user.run(['hooks', 'list'])).stdout).toContain(id)
  const tested = await user.run(['hooks', 'test', id])
  expect(tested.status).toBe(0)
  expect(tested.stdout).toMatch(/^state +delivered\n/)
  expect(await user.json(['hooks', 'rehearse', id])).toMatchObject({ exampleSecret: expect.any(String) })
  const [delivery] = (await user.json(['hooks', 'deliveries', id])) as { id: string }[]
  expect((await user.run(['hooks', 'resend', id, delivery?.id ?? ''])).status).toBe(0)
  expect(await user.json(['hooks', 'replay', id, '--from', '1h'])).toMatchObject({ requeued: expect.any(Number) })
  expect((await user.run(['hooks', 'delete', id, '--yes'])).status).toBe(0)
  expect(await user.json(['hooks', 'list'])).toEqual([])
})
