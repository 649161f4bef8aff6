/** The programs of `examples`, as a reader runs them. */
import { createHmac, randomBytes } from 'node:crypto'
import { execFileSync, spawnSync } from 'node:child_process'
import { createReadStream, readFileSync, readdirSync, rmSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addressOf, listen } from '../../packages/laptop/processes/listen.ts'
import { axeViolations } from '../support/browser/axe.ts'
import { installedChromium, startBrowser, viewports, watchPage } from '../support/browser/browser.ts'
import { startCommand } from '../support/platform/command.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

const key = randomBytes(32)
const secret = `whsec_${key.toString('base64')}`
const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) console.warn('the receiver in Python is not run: python3 is not installed')
const chromium = installedChromium()
if (chromium === undefined) console.warn('the wallboard is not looked at: no Chromium is installed')

/** Makes the folder that the wallboard is served from, with the commands of the page before the one that serves it. */
function wallboardFolder(): string {
  const [, commands = ''] =
    /```sh\n([^`]*?)python3 -m http\.server/.exec(readFileSync('examples/README.md', 'utf8')) ?? []
  return execFileSync('sh', ['-ec', `${commands}\necho "$FOLDER"`], { encoding: 'utf8' }).trim()
}

/** A delivery as the platform signs it. */
function delivery(id: string, body: string, seconds = Math.floor(Date.now() / 1000), signer = key): RequestInit {
  const signature = createHmac('sha256', signer).update(`${id}.${seconds}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` }
  return { method: 'POST', headers, body }
}

const receivers = [
  { language: 'Node', command: [process.execPath, 'examples/receiver.mjs'], isHere: true },
  { language: 'Python', command: ['python3', 'examples/receiver.py'], isHere: hasPython },
] as const

it.each(receivers.filter(({ isHere }) => isHere))(
  'the receiver in $language prints each genuine event once, and refuses what is forged, old, altered or too large',
  async ({ command: [program, file] }) => {
    const running = startCommand(program, [file], {
      cwd: process.cwd(),
      env: { ...process.env, SECRET: secret, PORT: '0' },
    })
    onTestFinished(async () => {
      running.interrupt()
      await running.ended()
    })
    const [, url = ''] = await running.printed(/receiving on (http:\S+)/)
    const send = async (init: RequestInit) => (await fetch(url, init)).status
    const old = Math.floor(Date.now() / 1000) - 600

    const statuses = {
      first: await send(delivery('msg_1', '{"name":"first"}')),
      repeated: await send(delivery('msg_1', '{"name":"first"}')),
      forged: await send(delivery('msg_2', '{"name":"forged"}', undefined, randomBytes(32))),
      old: await send(delivery('msg_3', '{"name":"old"}', old)),
      altered: await send({ ...delivery('msg_4', '{"name":"real"}'), body: '{"name":"altered"}' }),
      unsigned: await send({ method: 'POST', body: '{"name":"unsigned"}' }),
      large: await send(delivery('msg_5', 'x'.repeat(1024 * 1024 + 1))).catch(() => 'cut off'),
      last: await send(delivery('msg_6', '{"name":"last"}')),
    }
    await running.printed(/last/)

    expect(statuses).toMatchObject({ first: 204, repeated: 204, forged: 401, old: 401, altered: 401, unsigned: 401 })
    expect([413, 'cut off']).toContain(statuses.large)
    expect(statuses.last).toBe(204)
    expect(running.output().trim().split('\n').slice(1)).toEqual(['{"name":"first"}', '{"name":"last"}'])
  },
)

describe.skipIf(chromium === undefined)('the wallboard', () => {
  let files: Server
  let platform: TestPlatform
  let origin = ''
  let folder = ''

  beforeAll(async () => {
    folder = wallboardFolder()
    files = createServer((request, response) => {
      const path = request.url ?? ''
      response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8')
      createReadStream(join(folder, path))
        .on('error', () => response.writeHead(404).end())
        .pipe(response)
    })
    await listen(files, { host: '127.0.0.1', port: 0 })
    origin = `http://${addressOf(files)}`
    platform = await aPlatform({ ALLOWED_ORIGINS: origin })
  })

  afterAll(async () => {
    await platform?.close()
    files?.close()
    if (folder !== '') rmSync(folder, { recursive: true })
  })

  it('the folder that is served holds the wallboard and the client, and nothing of the checkout besides', () => {
    expect(readdirSync(folder).sort()).toEqual(['dist', 'wallboard.html'])
  })

  it.each(['light', 'dark'] as const)('the wallboard shows a live call, %s on a phone', async (colours) => {
    const domain = `${colours}.example.com`
    const client = await platform.tenant(domain)
    await client.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
    const browser = await startBrowser(chromium ?? '')
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: viewports.phone, colorScheme: colours })
    const amiss = watchPage(page, origin)
    await page.goto(`${origin}/wallboard.html`)
    expect(await axeViolations(page)).toEqual([])

    await page.getByLabel('Platform').fill(platform.url)
    await page.getByLabel('User').fill(`1000@${domain}`)
    await page.getByLabel('Password').fill(tenantPassword('1000'))
    await page.getByRole('button').click()

    await page.getByRole('cell', { name: '9196' }).first().waitFor()
    expect(await page.locator('#count').innerText()).toMatch(/^[12]$/)
    expect(await axeViolations(page)).toEqual([])
    expect(amiss.filter((line) => !line.startsWith(`request to ${platform.url}`))).toEqual([])
  })
})
