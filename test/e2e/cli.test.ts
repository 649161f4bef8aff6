import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { signedInAdmin } from '../support/cli/signed-in-admin.ts'
import { tenantPassword } from '../support/platform/platform.ts'

const domain = 'cli.example.com'
const within = { timeout: 60_000, interval: 500 }
const { rig, user, admin, inFolder } = signedInAdmin(domain)

it('a call is placed, watched, held, ended, and found in the call records', async () => {
  const watch = user.start(['channels', 'list', '--watch', '--interval', '1'])
  const placed = await user.run(['call', '9196', '--from', '1001', '--detach'])
  const uuid = placed.stdout.trim()

  expect(placed.status).toBe(0)
  expect(uuid).toMatch(/^[0-9a-f-]{36}$/)
  await watch.printed(new RegExp(`${uuid} .*ACTIVE`))
  const listed = await user.run(['channels', 'list'])
  expect(listed.stdout).toMatch(/^UUID +ACCOUNT +FROM +TO +STATE +BEGAN\n/)
  expect(listed.stdout).toContain(uuid)
  for (const command of ['hold', 'unhold', 'hangup']) expect((await user.run([command, uuid])).status).toBe(0)
  await watch.printed(`${uuid}  1001 to 9196  gone`)
  watch.child.kill('SIGINT')
  expect((await watch.ended()).status).toBe(130)
  await expect.poll(() => user.json(['cdr', 'search', `uuid:"${uuid}"`]), within).toMatchObject([{ _id: uuid }])
  const { stdout } = await user.run(['cdr', 'search', `uuid:"${uuid}"`])
  expect(stdout).toMatch(/^CALL +TIME +DIRECTION .*\n[0-9a-f-]{36} .*9196/)
  const file = inFolder('calls.csv')
  const exported = await user.run([
    'cdr',
    'export',
    `uuid:"${uuid}"`,
    '--output',
    file,
    '--columns',
    'uuid,destination_number',
  ])
  expect(exported).toMatchObject({ status: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toContain(`${uuid},9196`)
  expect((await user.run(['cdr', 'export', '--output', file])).status).toBe(2)
})

it('a call is followed until the number answers, or until it ends with a reason', async () => {
  const answered = await user.run(['call', '9196', '--from', '1001'])
  const busy = await user.run(['call', '5100', '--from', '1001', '--json'])
  const [uuid = ''] = answered.stdout.split('\n')

  expect(answered).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\nringing 9196 … answered after [\d.]+ s\n$/),
  })
  expect(JSON.parse(busy.stdout)).toMatchObject({ result: 'ended', hangupCause: 'USER_BUSY' })
  expect([busy.status, JSON.parse(busy.stderr).error.message]).toEqual([1, '5100: busy (USER_BUSY)'])
  expect((await user.run(['hangup', uuid])).status).toBe(0)
})

it('new events are printed while they are followed', async () => {
  await admin().call('createHooks', {
    body: {
      event: 'CHANNEL_ANSWER',
      enable: false,
      action: { type: 'web', method: 'POST', url: 'https://a.example/' },
    },
  })
  const followed = user.start(['events', '--follow', '--since', '0', '--name', 'CHANNEL_ANSWER'])
  const announced = async () => {
    const uuid = (await user.run(['call', '9196', '--from', '1001', '--detach'])).stdout.trim()
    await user.run(['hangup', uuid])
    return (await user.run(['events', '--call', uuid])).stdout
  }

  await expect.poll(announced, within).toContain('CHANNEL_ANSWER')
  await followed.printed(/CHANNEL_ANSWER +[0-9a-f-]{36}  /)
  followed.child.kill('SIGINT')
  expect((await followed.ended()).status).toBe(130)
})

it('a command for a missing channel exits with 1, and an unknown command with 2', async () => {
  const absent = await user.run(['hangup', '00000000-0000-4000-8000-000000000000'])

  expect(absent.status).toBe(1)
  expect(absent.stderr).toMatch(/^error: no such channel\n[^]*callplane cdr get 0{8}[^]*not_found · request id/)
  expect((await user.run(['hangup'])).status).toBe(2)
  expect((await user.run(['hooks', 'deliveries', 'x', '--state', 'nonsense'])).status).toBe(2)
})

it('a dry run of an import changes nothing and names each row, and the import creates what is missing once', async () => {
  const file = inFolder('staff.csv')
  const secret = tenantPassword('2001')
  writeFileSync(
    file,
    `\uFEFFlogin,role,password,number,variable:default_language\n1001,user,,,\n2001,user,"${secret}",2001;0049301,de\n`,
  )

  const dry = await user.run(['accounts', 'import', file, '--dry-run'])
  expect(dry).toMatchObject({
    status: 0,
    stdout: 'LINE  LOGIN  ACTION  PROBLEM\n   2  1001   skip\n   3  2001   create\n',
  })
  expect(Object.keys((await admin().call('listAccounts')).data)).not.toContain('2001')

  const done = await user.run(['accounts', 'import', file])
  expect(done.status).toBe(0)
  expect(done.stdout + done.stderr + dry.stdout + dry.stderr).not.toContain(secret)
  expect((await admin().call('readAccount', { params: { account_id: '2001' } })).data).toMatchObject({
    'svc-extensions': '2001,0049301',
    variable_default_language: 'de',
  })
  expect(await user.json(['accounts', 'import', file])).toMatchObject([{ action: 'skip' }, { action: 'skip' }])
})

it('an import with a wrong row changes nothing and exits with 1', async () => {
  const file = inFolder('wrong.csv')
  writeFileSync(file, 'login,role,password\n2002,user,a-password\n20 03,user,a-password\n2002,user,a-password\n')

  const { status, stdout, stderr } = await user.run(['accounts', 'import', file])

  expect(status).toBe(1)
  expect(stdout).toMatch(/20 03 +refuse +login must be/)
  expect(stdout).toMatch(/2002 +refuse +line 2 has this login too/)
  expect(stderr).toMatch(/nothing was changed/)
  expect(Object.keys((await admin().call('listAccounts')).data)).not.toContain('2002')
})

it('the doctor finds nothing wrong with a platform that works, and names the next step without a login', async () => {
  const well = await user.run(['doctor'])
  const stranger = await user.run(['doctor', '--profile', 'stranger', '--url', rig().url])

  expect(well).toMatchObject({ status: 0, stderr: '' })
  expect(well.stdout).toMatch(/reachable +ok[^]*login +ok[^]*connector +ok/)
  expect(stranger.status).toBe(1)
  expect(stranger.stdout).toMatch(/login +wrong .*callplane login/)
  expect((await user.run(['doctor', '--url', 'http://127.0.0.1:1'])).stdout).toMatch(
    /reachable +wrong[^]*\nreachable: .*npm start/,
  )
})

it('no file that the command line writes can be read by other users', () => {
  const files = readdirSync(join(user.folder, 'callplane'), { recursive: true, withFileTypes: true })

  for (const file of files) {
    const mode = statSync(join(file.parentPath, file.name)).mode & 0o777
    expect(mode, file.name).toBe(file.isDirectory() ? 0o700 : 0o600)
  }
})
