import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { guardedHookClient } from '../../../adapters/http/guarded-hook-client.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { aWireHarness } from '../../support/hooks/wire-harness.ts'
import { documentedCode } from '../../support/records/document.ts'
import { aSink } from '../../support/hooks/guarded-harness.ts'
import type { HookSink } from '../../support/hooks/hook-sink.ts'
import { anEvent } from '../../support/records/records.ts'

/** A request that a consumer checks, with the body in base64. */
interface Check {
  readonly title: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isGenuine: boolean
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hook-checks-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const base64 = (body: string | Buffer): string => Buffer.from(body).toString('base64')
const textOf = ({ body }: Check): string => Buffer.from(body, 'base64').toString()

/** Real deliveries as a consumer sees them: with a body and without, and while a secret is replaced. */
async function deliveredChecks(): Promise<Check[]> {
  const sink = await aSink()
  const context = { clock: systemClock, random: systemRandomness, env: { HOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } }
  const harness = aWireHarness({ clock: systemClock, hookClient: guardedHookClient(context) })
  const checkOf = (title: string, secret: string, isGenuine: boolean, at = sink): Check => ({
    title,
    secret,
    headers: at.requests.at(-1)?.headers ?? {},
    body: base64(lastBody(at)),
    isGenuine,
  })
  const fields = { 'Caller-Caller-ID-Name': 'Žofie "山田" \\ \n $(id) `id`' }
  const posted = await harness.hook(sink.url(), { event: 'CHANNEL_CREATE' })
  const other = await harness.hook(sink.url(), { event: 'DTMF' }, 'GET')
  await harness.deliver(anEvent({ fields }))
  const post = checkOf('a POST', posted.secret, true)
  const forged = checkOf('a POST under the secret of another hook', other.secret, false)
  const renewed = await harness.rotate(posted)
  await harness.deliver(anEvent({ fields }))
  const rotated = [posted.secret, renewed].map((each) => checkOf('a POST after a rotation', each, true))
  await harness.deliver(anEvent({ name: 'DTMF', fields }))
  return [post, forged, ...rotated, checkOf('a GET', other.secret, true)]
}

function lastBody(sink: HookSink): Buffer {
  const { bytes = Buffer.of(), headers = {} } = sink.requests.at(-1) ?? {}
  return bytes.subarray(bytes.length - Number(headers['content-length'] ?? 0))
}

/** Forgeries of a genuine request, each unlike it in one thing. */
function tampered(genuine: Check): Check[] {
  const { secret, headers } = genuine
  const { 'webhook-id': id = '', 'webhook-signature': signature = '' } = headers
  const now = Math.floor(Date.now() / 1000)
  const like = (title: string, other: Record<string, string>, body = genuine.body): Check => ({
    title,
    secret,
    headers: { ...headers, ...other },
    body,
    isGenuine: false,
  })
  const signedAt = (at: number) => ({
    'webhook-timestamp': String(at),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at * 1000), textOf(genuine)),
  })
  const hex = createHmac('sha256', secret).update(textOf(genuine)).digest('hex')
  return [
    like('another body', {}, base64(`${textOf(genuine)} `)),
    like('no body', {}, ''),
    { ...like('no header at all', {}), headers: {} },
    like('another id', { 'webhook-id': `${id}0` }),
    like('another time', { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }),
    like('a signature of another version', { 'webhook-signature': signature.replace('v1,', 'v2,') }),
    like('a cut signature', { 'webhook-signature': signature.slice(0, -4) }),
    like('no signature', { 'webhook-signature': '' }),
    like('a signature of another kind', { 'webhook-signature': `v1,${hex} ${hex}` }),
    like('a recording of more than five minutes ago', signedAt(now - 330)),
    like('one from the future', signedAt(now + 330)),
    { ...like('one of four minutes ago', signedAt(now - 240)), isGenuine: true },
    {
      ...like('one together with a signature of a later version', { 'webhook-signature': `v1a,x ${signature}` }),
      isGenuine: true,
    },
  ]
}

/** Runs a program over all checks at once; answers what it prints, as JSON. */
function answers(command: string, args: readonly string[], checks: readonly Check[]): unknown {
  const { status, stdout, stderr } = spawnSync(command, args, { input: JSON.stringify(checks), encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

const isThere = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

/** How each language's example is run over checks: one answer for each. */
const runs: Readonly<Record<string, { isThere: () => boolean; run: (checks: readonly Check[]) => unknown }>> = {
  TypeScript: {
    isThere: () => true,
    run(checks) {
      const program = `import { readFileSync } from 'node:fs'
import { verifyDelivery } from '${join(process.cwd(), 'client/webhook.ts')}'
const checks = JSON.parse(readFileSync(0, 'utf8'))
const all = checks.map(({ secret, headers, body }) => verifyDelivery({ headers, body: Buffer.from(body, 'base64') }, { secret }))
console.log(JSON.stringify(await Promise.all(all)))`
      writeFileSync(join(folder, 'run.mjs'), program)
      return answers(process.execPath, ['--disable-warning=ExperimentalWarning', join(folder, 'run.mjs')], checks)
    },
  },
  Python: {
    isThere: () => isThere('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'),
    run(checks) {
      const [check = ''] = /^def is_genuine[\s\S]*?\n\n/m.exec(readFileSync('examples/receiver.py', 'utf8')) ?? []
      const program = `import base64, hashlib, hmac, json, sys, time
${check}
checks = json.load(sys.stdin)
print(json.dumps([is_genuine(c["secret"], c["headers"], base64.b64decode(c["body"])) for c in checks]))`
      return answers('python3', ['-c', program], checks)
    },
  },
  Shell: {
    isThere: () => isThere('openssl', 'version') && isThere('sh', '-c', 'command -v od'),
    run(checks) {
      const script = documentedCode('hooks.md', '### Shell', 'sh')
      return checks.map(({ secret, headers, body }) => {
        writeFileSync(join(folder, 'body'), Buffer.from(body, 'base64'))
        const variables = {
          secret,
          id: headers['webhook-id'] ?? '',
          timestamp: headers['webhook-timestamp'] ?? '',
          signature: headers['webhook-signature'] ?? '',
          body: join(folder, 'body'),
        }
        const { stdout, stderr } = spawnSync('sh', ['-c', script], {
          env: { PATH: process.env['PATH'] ?? '', ...variables },
          encoding: 'utf8',
        })
        expect(stderr).toBe('')
        expect(['genuine\n', 'too old\n', 'not ours\n']).toContain(stdout)
        return stdout === 'genuine\n'
      })
    },
  },
}

describe.each(Object.entries(runs))('the documented check in %s', (language, example) => {
  it('each documented check accepts real deliveries and nothing else, without an exception', async ({ skip }) => {
    if (!example.isThere()) skip(`${language} is not on this machine`)
    const delivered = await deliveredChecks()
    const [genuine] = delivered
    if (genuine === undefined) throw new Error('nothing was delivered')
    const checks = [...delivered, ...tampered(genuine)]

    const found = example.run(checks)

    const results = checks.map(({ title }, at) => `${title}: ${Array.isArray(found) ? found[at] : found}`)
    expect(results).toEqual(checks.map(({ title, isGenuine }) => `${title}: ${isGenuine}`))
  })
})

it('the Standard Webhooks library accepts the same deliveries as the documented checks', async () => {
  const delivered = await deliveredChecks()
  const [genuine] = delivered
  if (genuine === undefined) throw new Error('nothing was delivered')
  const accepts = (check: Check): boolean => {
    try {
      new Webhook(check.secret).verify(textOf(check), { ...check.headers })
      return true
    } catch (error) {
      // A body that is no JSON is refused by the library only when it has verified it.
      return error instanceof SyntaxError && textOf(check) === ''
    }
  }

  for (const check of [...delivered, ...tampered(genuine)]) {
    expect(`${check.title}: ${accepts(check)}`).toBe(`${check.title}: ${check.isGenuine}`)
  }
})
