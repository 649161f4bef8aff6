/** The wallboard of `examples`, as a reader runs it. */
import { execFileSync } from 'node:child_process'
import { createReadStream, readFileSync, readdirSync, rmSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addressOf, listen } from '../../packages/laptop/processes/listen.ts'
import { axeViolations } from '../support/browser/axe.ts'
import { installedChromium, startBrowser, viewports, watchPage } from '../support/browser/browser.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

const chromium = installedChromium()
if (chromium === undefined) console.warn('the wallboard is not looked at: no Chromium is installed')

/** Makes the folder that the wallboard is served from, with the commands of the page before the one that serves it. */
function wallboardFolder(): string {
  const [, commands = ''] =
    /```sh\n([^`]*?)python3 -m http\.server/.exec(readFileSync('examples/README.md', 'utf8')) ?? []
  return execFileSync('sh', ['-ec', `${commands}\necho "$FOLDER"`], { encoding: 'utf8' }).trim()
}

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
