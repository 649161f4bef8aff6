/**
 * Every endpoint that takes or shows a secret is used, also wrongly; then everything that the platform wrote is read.
 */
import { createHash, randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Secret } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import * as accounts from '../../contracts/routes/accounts.ts'
import * as auth from '../../contracts/routes/auth.ts'
import * as domainTokens from '../../contracts/routes/domain-tokens.ts'
import * as domains from '../../contracts/routes/domains.ts'
import * as email from '../../contracts/routes/email.ts'
import * as engine from '../../contracts/routes/engine.ts'
import * as hookLab from '../../contracts/routes/hook-lab.ts'
import * as gateways from '../../contracts/routes/gateways.ts'
import * as hooks from '../../contracts/routes/hooks.ts'
import { routes } from '../../contracts/routes/index.ts'
import type { Route } from '../../contracts/routes/route.ts'
import { pathOf } from '../support/platform/route-requests.ts'
import { checkOverHttp } from '../support/platform/declared.ts'
import { startMailServer } from '../support/hooks/mail-server.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { rawRequest } from '../support/processes/raw-request.ts'
import { filesBelow, heldIn, markedIn, planted } from '../support/invariants/secret-forms.ts'
import { codeAt } from '../support/records/totp.ts'
import { engineAuthorization } from '../support/platform/engine-credential.ts'

const domain = 'secrets.example.com'
const query = { domain }

/**
 * Quotes, spaces and letters beyond ASCII make the forms of a secret differ from each other. The part before them looks
 * the same however often the text around it is escaped.
 */
const secretOf = (name: string) => `${planted(name)} "quoted" / ü+?`

/** Sixteen digits that stand nowhere by chance. */
const pinOf = () => Array.from({ length: 16 }, () => randomInt(10)).join('')

const given = {
  rootPassword: secretOf('root'),
  engineCredential: secretOf('engine'),
  accountPassword: secretOf('account'),
  changedPassword: secretOf('changed'),
  passwordParameter: secretOf('parameter'),
  wrongPassword: secretOf('mistyped'),
  // PINs are digits.
  voicemailPin: pinOf(),
  changedPin: pinOf(),
  mailPassword: secretOf('mail'),
  changedMailPassword: secretOf('second-mail'),
  refusedPassword: secretOf('refused'),
  // A trunk takes visible characters of ASCII.
  gatewayPassword: `${planted('gateway')}'/+?`,
  changedGatewayPassword: `${planted('changed-gateway')}'/+?`,
}

/** All secrets by what they are: those above, and those that the platform makes. */
const secrets = new Map<string, string | Uint8Array>(
  Object.entries(given).flatMap(([name, secret]): [string, string][] => [
    [name, secret],
    [`core of ${name}`, secret.split(' ', 1)[0] ?? secret],
  ]),
)
const used = new Set<string>()
let platform: TestPlatform
let files: ReadonlyMap<string, Buffer>

type Headers = Readonly<Record<string, string>>
/** A request as it is sent, with what stands in it. */
interface Sent {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Headers
  readonly raw?: string
}

/** Sends a request as written; gives the text of its answer. A refusal must not repeat any secret. */
async function send(status: number, route: Route, { params, query, body, headers, raw }: Sent = {}): Promise<string> {
  const url = new URL(pathOf(route, params), platform.url)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = text === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, { method: route.method, headers: { ...type, ...headers }, body: text ?? null })
  const answer = await response.text()
  const contentType = response.headers.get('content-type') ?? ''
  const asked = { method: route.method, path: url.pathname + url.search, text }
  checkOverHttp(asked, { status: response.status, contentType, text: answer })
  expect(response.status, `${route.operationId} answered ${answer}`).toBe(status)
  if (status >= 400) expect(heldIn(Buffer.from(answer), secrets), `${route.operationId} answered ${answer}`).toEqual([])
  used.add(route.operationId)
  return answer
}

/** Keeps a token and its random part, which alone would be enough to forge it, as secrets. */
function keepToken(name: string, token: string): void {
  const [, , random = ''] = token.split('.')
  secrets.set(name, token)
  secrets.set(`random part of ${name}`, Buffer.from(random, 'base64url'))
}

/** Keeps the signing secrets of hooks, as they are shown and as bytes. */
function keepSigning(given: Readonly<Record<string, string>>): void {
  for (const secret of Object.values(given)) {
    secrets.set(`signing secret ${secrets.size}`, secret)
    secrets.set(`bytes of signing secret ${secrets.size}`, Buffer.from(secret.replace('whsec_', ''), 'base64'))
  }
}

async function logIn(username: string, password: string, extra: object = {}): Promise<Headers> {
  const answer = await send(200, auth.logIn, { body: { username, password, ...extra } })
  const { key, token } = z.parse(auth.logIn.response, JSON.parse(answer))
  keepToken(`token ${secrets.size}`, token)
  return { 'x-key': key, 'x-access-token': token }
}

async function useLogins(): Promise<void> {
  const { accountPassword, wrongPassword } = given
  const username = `2000@${domain}`
  const headers = await logIn(username, accountPassword)
  await send(200, auth.whoAmI, { headers })
  await send(401, auth.logIn, { body: { username, password: wrongPassword } })
  await send(404, auth.logIn, { body: { username: `stranger@${domain}`, password: wrongPassword } })
  await send(400, auth.logIn, { body: { username: 7, password: wrongPassword } })
  await send(400, auth.logIn, { raw: `{"username":"${username}","password":${JSON.stringify(wrongPassword)}` })
  await send(401, auth.logIn, { query: { password: wrongPassword }, body: { username, password: '' } })
  await send(401, auth.whoAmI, { headers: { ...headers, 'x-key': crypto.randomUUID() } })
  await send(401, auth.whoAmI, { headers: { authorization: `Bearer ${headers['x-access-token']}` } })
  await send(200, auth.logOut, { headers })
  await send(401, auth.whoAmI, { headers })
}

async function useAccounts(headers: Headers): Promise<void> {
  const { accountPassword, changedPassword, passwordParameter, voicemailPin, changedPin, refusedPassword } = given
  const params = { account_id: '2000' }
  const account = { login: '2000', role: 'admin', password: accountPassword }
  const parameters = [`vm-password=${voicemailPin}`]
  const variables = ['x_department=findable']
  const create = { query, headers, body: { ...account, parameters, variables } }
  await send(200, accounts.createAccount, create)
  await send(409, accounts.createAccount, create)
  const refused = { ...account, login: 'not a login', password: refusedPassword }
  await send(400, accounts.createAccount, { query, headers, body: refused })
  await send(400, accounts.createAccount, {
    query,
    headers,
    body: { ...refused, login: '2001', parameters: [`password=[${refusedPassword}]`, `${refusedPassword}=1`] },
  })
  await send(404, accounts.updateAccount, {
    params: { account_id: '2999' },
    query,
    headers,
    body: { password: refusedPassword },
  })
  await useLogins()
  await send(200, accounts.updateAccount, { params, query, headers, body: { password: changedPassword } })
  const changed = [`password=${passwordParameter}`, `vm-password=${changedPin}`]
  await send(200, accounts.updateAccount, { params, query, headers, body: { parameters: changed } })
  await send(200, accounts.readAccount, { params, query, headers })
  await send(200, accounts.listAccounts, { query, headers })
  await send(200, accounts.createAccount, { query, headers, body: { ...account, login: '2002', parameters } })
  await send(200, accounts.deleteAccount, { params: { account_id: '2002' }, query, headers })
}

async function useSecondFactor(admin: Headers): Promise<void> {
  for (const login of ['1001', '1002']) {
    const username = `${login}@${domain}`
    const headers = await logIn(username, tenantPassword(login))
    const { info } = z.parse(auth.beginTotp.response, JSON.parse(await send(200, auth.beginTotp, { headers })))
    secrets.set(`second factor of ${login}`, info.secret)
    secrets.set(`bytes of the second factor of ${login}`, Buffer.from(Secret.fromBase32(info.secret).bytes))
    await send(200, auth.confirmTotp, { headers, body: { code: codeAt(info.secret, Date.now()) } })
    await send(409, auth.beginTotp, { headers })
    await send(400, auth.endTotp, { headers, body: { code: info.secret } })
    await send(401, auth.logIn, { body: { username, password: tenantPassword(login), code: info.secret } })
  }
  await send(200, accounts.endAccountTotp, { params: { account_id: '1002' }, query, headers: admin })
}

async function useHooksAndTokens(headers: Headers): Promise<void> {
  const { url } = await platform.receiver()
  const hook = { event: 'CHANNEL_ANSWER', action: { type: 'web', method: 'POST', url } }
  const keyed = { ...headers, 'idempotency-key': 'hooks-once' }
  const created = await send(200, hooks.createHooks, { query, headers: keyed, body: [hook, hook] })
  keepSigning(z.parse(hooks.createHooks.response, JSON.parse(created)).data.secrets)
  await send(200, hooks.listHooks, { query, headers })
  const [hook_id = ''] = z.parse(hooks.createHooks.response, JSON.parse(created)).data.insertedIds
  const rotated = await send(200, hooks.rotateHookSecret, { params: { hook_id }, query, headers })
  keepSigning(z.parse(hooks.rotateHookSecret.response, JSON.parse(rotated)).data.secrets)
  await send(200, hookLab.testHook, { params: { hook_id }, query, headers, body: { force: true } })
  const params = { domain_name: domain }
  const body = { expire: Date.now() + 3_600_000, role: 'admin' }
  const issued = await send(200, domainTokens.createDomainToken, { params, headers, body })
  const { data, token } = z.parse(domainTokens.createDomainToken.response, JSON.parse(issued)).info
  keepToken('static token', token)
  const one = { params: { ...params, uuid: data.uuid }, headers }
  const presented = { 'x-key': data.uuid, 'x-access-token': token }
  await send(200, accounts.listAccounts, { query, headers: presented })
  await send(200, domainTokens.listDomainTokens, { params, headers })
  await send(200, domainTokens.updateDomainToken, { ...one, body: { state: false } })
  await send(401, accounts.listAccounts, { query, headers: presented })
  await send(200, domainTokens.updateDomainToken, { ...one, body: { state: true } })
}

async function useMail(headers: Headers): Promise<void> {
  const { mailPassword, changedMailPassword, refusedPassword } = given
  const login = { user: 'pbx@example.com', pass: mailPassword }
  await using server = await mailServer(login)
  const options = { host: '127.0.0.1', port: server.port, secure: false, tls: { rejectUnauthorized: false } }
  const settings = (pass: string, more: object = {}) => ({
    provider: 'smtp',
    from: 'pbx@example.com',
    options: { ...options, debug: true, auth: { ...login, pass }, ...more },
  })
  await send(400, email.createEmailSettings, { query, headers, body: settings(refusedPassword, { host: '10.0.0.1' }) })
  await send(200, email.createEmailSettings, { query, headers, body: settings(mailPassword) })
  await send(200, email.sendTestMail, { query, headers, body: { to: 'somebody@example.com' } })
  await send(200, email.replaceEmailSettings, { query, headers, body: settings(changedMailPassword) })
  await send(400, email.sendTestMail, { query, headers, body: { to: 'somebody@example.com' } })
  await send(200, email.readEmailSettings, { query, headers })
  await send(200, email.deleteEmailSettings, { query, headers })
  await send(200, email.createEmailSettings, { query, headers, body: settings(mailPassword) })
}

async function useGateways(headers: Headers): Promise<void> {
  const { gatewayPassword, changedGatewayPassword, refusedPassword } = given
  const params = { gateway_name: 'trunk' }
  const trunk = (password: string) => ({ realm: 'sip.example.net', username: 'pbx', password })
  await send(400, gateways.createGateway, { headers, body: { name: 'not a name', ...trunk(refusedPassword) } })
  await send(200, gateways.createGateway, { headers, body: { name: 'trunk', ...trunk(gatewayPassword) } })
  await send(200, gateways.readGateway, { params, headers })
  await send(200, gateways.replaceGateway, { params, headers, body: trunk(gatewayPassword) })
  await send(200, gateways.updateGateway, { params, headers, body: { password: changedGatewayPassword } })
  await send(200, gateways.listGateways, { headers })
  await send(200, gateways.createGateway, { headers, body: { name: 'spare', ...trunk(gatewayPassword) } })
  await send(200, gateways.deleteGateway, { params: { gateway_name: 'spare' }, headers })
}

/** A mail server that shows every client the password that it refuses. */
async function mailServer(login: { user: string; pass: string }) {
  const server = await startMailServer({ login, refuseLogin: (pass) => `"${pass}" is not the password` })
  return { port: server.port, [Symbol.asyncDispose]: () => server.close() }
}

/** Asks as the engine does, about an account and about a call to it. */
async function useLookUps(): Promise<void> {
  const ask = async (
    {
      method,
      path,
      operationId,
    }: typeof engine.lookUpDirectory | typeof engine.lookUpDialplan | typeof engine.uploadRecording,
    fields: Readonly<Record<string, string>>,
    credential: string,
  ) => {
    const body = new URLSearchParams(fields).toString()
    const headers = {
      ...engineAuthorization(credential),
      'content-type': 'application/x-www-form-urlencoded',
    }
    const { status, text } = await rawRequest(platform.url, { method, path, headers, body })
    used.add(operationId)
    return [status, text] as const
  }
  const account = { section: 'directory', user: '2000', domain, key_value: domain }
  const call = { section: 'dialplan', 'Hunt-Context': domain, 'Hunt-Destination-Number': '2000' }
  const { engineCredential, wrongPassword } = given
  expect(await ask(engine.lookUpDirectory, account, engineCredential)).toEqual([
    200,
    expect.stringContaining('a1-hash'),
  ])
  expect((await ask(engine.lookUpDirectory, account, wrongPassword))[0]).toBe(401)
  expect(await ask(engine.lookUpDialplan, call, engineCredential)).toEqual([200, expect.stringContaining('user/2000@')])
  expect((await ask(engine.lookUpDialplan, call, wrongPassword))[0]).toBe(401)
  const trunks = { section: 'directory', purpose: 'gateways', profile: 'external' }
  expect(await ask(engine.lookUpDirectory, trunks, engineCredential)).toEqual([
    200,
    expect.stringContaining(`${domain}_trunk`),
  ])
  const sum = '0'.repeat(64)
  const uuid = 'c0ffee00-0000-4000-8000-0000000000ce'
  const recording = { domain, uuid, name: `${uuid}.wav`, size: '1', sha256: sum, parts: sum }
  expect((await ask(engine.uploadRecording, recording, engineCredential))[0]).toBe(200)
  expect((await ask(engine.uploadRecording, recording, wrongPassword))[0]).toBe(401)
  const line = `1795737600:0:2000:${domain}:inbox:/voicemail/${domain}/2000/msg_1.wav:1:Alice:1000:12`
  const message = (credential: string) =>
    rawRequest(platform.url, {
      method: engine.takeVoicemail.method,
      path: `${engine.takeVoicemail.path}?size=5`,
      headers: {
        ...engineAuthorization(credential),
        'content-type': 'application/octet-stream',
      },
      body: `${line}\nsound`,
    })
  expect((await message(engineCredential)).status).toBe(200)
  expect((await message(wrongPassword)).status).toBe(401)
  used.add(engine.takeVoicemail.operationId)
}

/** A CDR whose channel had secrets in its variables; it is indexed when this resolves. */
async function useCdr(): Promise<void> {
  const { method, path } = engine.takeCdr
  const { accountPassword, voicemailPin, mailPassword, engineCredential, wrongPassword } = given
  const uuid = 'c0ffee00-0000-4000-8000-0000000000cd'
  const variables = {
    uuid,
    domain_name: domain,
    note: 'an indexed note',
    sip_auth_password: accountPassword,
    'sip_h_Proxy-Authorization': `Digest ${accountPassword}`,
    vm_password: voicemailPin,
    caller_pin: voicemailPin,
    switch_r_sdp: `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${mailPassword}`,
  }
  const post = (credential: string) =>
    rawRequest(platform.url, {
      method,
      path: `${path}?uuid=${uuid}`,
      headers: {
        ...engineAuthorization(credential),
        'content-type': 'application/json',
      },
      body: JSON.stringify({ variables }),
    })
  expect((await post(engineCredential)).status).toBe(200)
  expect((await post(wrongPassword)).status).toBe(401)
  used.add(engine.takeCdr.operationId)
  const isIndexed = () => [...filesBelow(platform.dataDir).values()].some((bytes) => bytes.includes('an indexed note'))
  await vi.waitFor(() => expect(isIndexed()).toBe(true), { timeout: 60_000, interval: 1_000 })
}

beforeAll(async () => {
  const { rootPassword, engineCredential } = given
  platform = await aPlatform({
    ROOT_PASSWORD: rootPassword,
    ENGINE_CREDENTIAL: engineCredential,
    LOG_LEVEL: 'trace',
  })
  await platform.tenant(domain)
  for (const login of ['1000', '1001', '1002']) secrets.set(`password of ${login}`, tenantPassword(login))
  const root = await logIn('root', rootPassword)
  await send(400, domains.createDomain, {
    headers: root,
    body: { domain_name: 'x.example.com', customer_id: 'test', parameters: [`password=${given.refusedPassword}`] },
  })
  const admin = await logIn(`1000@${domain}`, tenantPassword('1000'))
  await useAccounts(admin)
  await useSecondFactor(admin)
  await useHooksAndTokens(admin)
  await useMail(admin)
  await useGateways(admin)
  await useLookUps()
  await useCdr()
  await platform.stop()
  files = filesBelow(platform.dataDir)
})

afterAll(() => {
  rmSync(platform.dataDir, { recursive: true, force: true })
})

/** The names of the secrets that the files hold, each with the file. */
function found(searched: ReadonlyMap<string, string | Uint8Array>, below = ''): string[] {
  return [...files]
    .filter(([path]) => path.startsWith(below))
    .flatMap(([path, bytes]) => heldIn(bytes, searched).map((name) => `${name} in ${path}`))
}

describe('the state of a platform', () => {
  it("a search for known texts finds those that are not secret in the platform's files", () => {
    const marks = new Map([
      ['variable', 'findable'],
      ['domain', domain],
    ])

    expect(found(marks)).toEqual(
      expect.arrayContaining(['variable in dynamodb.sqlite', 'domain in logs/functions.log']),
    )
  })

  it("the platform's files contain no secret in any form", () => {
    expect(found(secrets)).toEqual([])
    expect([...files].filter(([, bytes]) => markedIn(bytes).length > 0).map(([path]) => path)).toEqual([])
  })

  it("the digests that phones log in with are in the platform's stores and not in its logs", () => {
    const digests = Object.entries(given).map(([name, secret]): [string, string] => [
      name,
      createHash('md5').update(`2000:${domain}:${secret}`).digest('hex'),
    ])

    expect(found(new Map(digests), 'logs/')).toEqual([])
    expect(found(new Map(digests))).not.toEqual([])
  })

  it("the platform's files were made by calling every endpoint that takes or shows a secret", () => {
    const taking = routes.filter((route) => ['auth', 'accounts', 'email', 'engine', 'gateways'].includes(route.group))
    const showing = routes.filter((route) => route.showsSecret === true)

    expect([...used]).toEqual(expect.arrayContaining([...taking, ...showing].map(({ operationId }) => operationId)))
  })
})
