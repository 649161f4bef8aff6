/** The packed client in a page of another origin, in a real Chromium. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addressOf, listen } from '../../packages/laptop/processes/listen.ts'
import { npmCommand } from '../../local/processes/npm-command.mjs'
import { installedChromium, startBrowser } from '../support/browser/browser.ts'
import { runCommand } from '../support/platform/command.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

const chromium = installedChromium()
if (chromium === undefined) console.warn('the client is not tried in a page: no Chromium is installed')

const domain = 'page.example.com'
const folder = mkdtempSync(join(tmpdir(), 'callplane-page-'))
let server: Server
let platform: TestPlatform
let origin: string

/** Packs the client as npm publishes it, and unpacks it into the folder. */
async function packClient(): Promise<void> {
  const [npm, ...first] = npmCommand()
  const packed = await runCommand(npm, [...first, 'pack', './client', '--pack-destination', folder], {
    cwd: process.cwd(),
  })
  const [name] = /\S+\.tgz/.exec(packed.output) ?? []
  const unpacked = await runCommand('tar', ['-xzf', join(folder, name ?? '')], { cwd: folder })
  if (packed.status !== 0 || unpacked.status !== 0) throw new Error(packed.output + unpacked.output)
}

beforeAll(async () => {
  if (chromium === undefined) return
  await packClient()
  server = createServer((request, response) => {
    const name = basename(request.url ?? '')
    if (name.endsWith('.js')) {
      const module = readFileSync(join(folder, 'package/dist', name))
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(module)
    } else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>')
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  origin = `http://${addressOf(server)}`
  platform = await aPlatform({ ALLOWED_ORIGINS: origin })
  await platform.tenant(domain)
})

afterAll(async () => {
  await platform?.close()
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

it.skipIf(chromium === undefined)(
  'a page of an allowed origin logs in, places a call, reads pages of a list, and sees a refusal as a typed error',
  async () => {
    const browser = await startBrowser(chromium ?? '')
    const page = await browser.newPage()
    await page.goto(origin)
    const given = { url: platform.url, username: `1000@${domain}`, password: tenantPassword('1000') }

    const seen = await page.evaluate(`(async ({ url, username, password }) => {
      const { CallplaneError, Client } = await import('/index.js')
      const client = new Client({ url, login: { username, password } })
      const { id } = await client.call('whoAmI')
      const { info } = await client.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
      const logins = []
      for await (const { data } of client.pages('listAccounts', { query: { limit: 2 } })) logins.push(...Object.keys(data))
      const refusal = await client.call('readAccount', { params: { account_id: '9' } }).catch((error) => error)
      return { id, info, logins, refused: refusal instanceof CallplaneError && [refusal.status, refusal.code] }
    })(${JSON.stringify(given)})`)
    await browser.close()

    expect(seen).toEqual({
      id: `1000@${domain}`,
      info: expect.stringMatching(/^\+OK [\da-f-]{36}\n$/),
      logins: ['1000', '1001', '1002'],
      refused: [404, 'not_found'],
    })
  },
)
