import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type CliUser, aCliUser } from '../support/cli/cli.ts'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const domain = 'cli-login.example.com'
const admin = `1000@${domain}`
const rig = opened(() => aPlatform())
let user: CliUser

beforeAll(async () => {
  await rig().tenant(domain)
})

beforeEach(() => {
  user = aCliUser()
})

afterEach(() => user.remove())

const signIn = (words: readonly string[] = []) =>
  user.run(['login', '--url', rig().url, '--user', admin, '--password-stdin', ...words], {
    input: `${tenantPassword('1000')}\n`,
  })

it('a login stores the token in a file that only its user may read, and never stores the password', async () => {
  expect((await signIn()).status).toBe(0)

  const folder = join(user.folder, 'callplane/profiles')
  const file = join(folder, 'default.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toEqual(['default.json'])
  expect(readFileSync(file, 'utf8')).not.toContain(tenantPassword('1000'))
  expect(await user.json(['whoami'])).toMatchObject({ id: admin, roleName: 'admin' })
})

it('a command without a login exits with 3 and says how to log in', async () => {
  const { status, stdout, stderr } = await user.run(['status'])

  expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
  expect(stderr).toMatch(/not signed in; sign in with: callplane login --url <address> --user <login@domain>/)
})

it('a wrong password exits with 3 and stores nothing', async () => {
  const words = ['login', '--url', rig().url, '--user', admin, '--password-stdin']
  const { status, stderr } = await user.run(words, { input: 'wrong\n' })

  expect(status).toBe(3)
  expect(stderr).toMatch(/refused the user name or the password/)
  expect(await user.json(['profiles'])).toEqual([])
})

it('a logout ends the token at the platform and forgets it', async () => {
  await signIn()
  const kept = JSON.parse(readFileSync(join(user.folder, 'callplane/profiles/default.json'), 'utf8')) as {
    token: string
    key: string
  }

  expect((await user.run(['logout'])).status).toBe(0)

  const answer = await fetch(`${rig().url}/api/v2/whoami`, {
    headers: { 'x-access-token': kept.token, 'x-key': kept.key },
  })
  expect(answer.status).toBe(401)
  expect((await user.run(['whoami'])).status).toBe(3)
})

it('profiles are separate logins, chosen by an option or the environment', async () => {
  await signIn(['--profile', 'work'])

  expect((await user.run(['whoami'])).status).toBe(3)
  expect((await user.run(['whoami', '--profile', 'work'])).status).toBe(0)
  expect((await user.run(['whoami'], { env: { CALLPLANE_PROFILE: 'work' } })).status).toBe(0)
})

it('the token of a platform is not sent to another one', async () => {
  await signIn()

  const { status, stderr } = await user.run(['whoami'], { env: { CALLPLANE_URL: 'http://127.0.0.1:1' } })

  expect(status).toBe(3)
  expect(stderr).toMatch(/CALLPLANE_URL is not the platform of profile "default"/)
})

it('output that is piped has no colours, also when errors are shown', async () => {
  await signIn()
  const results = [await user.run(['status']), await user.run(['profiles']), await user.run(['nonsense'])]

  expect(results.map(({ status }) => status)).toEqual([0, 0, 2])
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain('\u001b')
})

it('a password is not sent in clear text to another machine', async () => {
  const words = ['login', '--url', 'http://api.example.com', '--user', admin, '--password-stdin']
  const { status, stderr } = await user.run(words, { input: 'x\n' })

  expect(status).toBe(2)
  expect(stderr).toMatch(/would send the password in clear text/)
})

it('a platform that does not answer makes a command exit with 4 and name the doctor', async () => {
  const words = ['login', '--url', 'http://127.0.0.1:1', '--user', admin, '--password-stdin']
  const { status, stderr } = await user.run(words, { input: 'x\n' })

  expect(status).toBe(4)
  expect(stderr).toMatch(/got no answer[^]*callplane doctor/)
})
