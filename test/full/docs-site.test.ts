/** The manual as a site, in a real Chromium; pictures go to node_modules/.cache/screenshots. */
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import { extname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf, listen } from '../../packages/laptop/processes/listen.ts'
import { axeViolations } from '../support/browser/axe.ts'
import { excessWidth, installedChromium, startBrowser, viewports, watchPage } from '../support/browser/browser.ts'
import { runCommand } from '../support/platform/command.ts'

const chromium = installedChromium()
if (chromium === undefined) console.warn('the site of the manual is not looked at: no Chromium is installed')

const screenshots = 'node_modules/.cache/screenshots'
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

let server: Server | undefined
let browser: Browser | undefined
let origin = ''

beforeAll(async () => {
  const { status, output } = await runCommand('npm', ['run', '--silent', 'docs'], { cwd: process.cwd() })
  expect(status, output).toBe(0)
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname
    const name = path === '/' ? 'index.html' : extname(path) === '' ? `${path}.html` : path
    try {
      const body = readFileSync(join('docs/site/dist', name))
      response.writeHead(200, { 'content-type': types[extname(name)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  origin = `http://${addressOf(server)}`
  mkdirSync(screenshots, { recursive: true })
  if (chromium !== undefined) browser = await startBrowser(chromium)
})

afterAll(async () => {
  await browser?.close()
  server?.close()
})

it('every link of the site leads to a page that it has', () => {
  const dead = globSync('*.html', { cwd: 'docs/site/dist' }).flatMap((page) => {
    const links = readFileSync(join('docs/site/dist', page), 'utf8').matchAll(/<a [^>]*href="\.?\/([^"#]+)/g)
    const files = [...links].map(([, link = '']) => (extname(link) === '' ? `${link}.html` : link))
    return files.filter((file) => !existsSync(join('docs/site/dist', file))).map((file) => `${page}: ${file}`)
  })

  expect(dead).toEqual([])
})

describe.skipIf(chromium === undefined)('the site of the manual', () => {
  it.each(['light', 'dark'] as const)('no page of the manual breaks a rule of axe, %s', async (colours) => {
    const page = await browser?.newPage({ viewport: viewports.desktop, colorScheme: colours })
    if (page === undefined) throw new Error('no browser')
    const violations: string[] = []
    for (const path of ['', 'quick-start', 'hooks', 'client', 'api/reference.html#originateCall']) {
      await page.goto(`${origin}/${path}`)
      await page.locator('h1').first().waitFor()
      violations.push(...(await axeViolations(page)).map((violation) => `${path}: ${violation}`))
      for (const name of ['desktop', 'phone'] as const) {
        await page.setViewportSize(viewports[name])
        const file = path.replaceAll(/[^\w-]/g, '-') || 'home'
        await page.screenshot({ path: `${screenshots}/docs-${file}-${colours}-${name}.png` })
        expect(await excessWidth(page), `${path} on a ${name}`).toBe(0)
      }
      await page.setViewportSize(viewports.desktop)
    }

    expect(violations).toEqual([])
    await page.close()
  })

  it('a search for "transfer a call" first finds the page about calls', async () => {
    const page = await browser?.newPage({ viewport: viewports.desktop })
    if (page === undefined) throw new Error('no browser')
    await page.goto(origin)

    await page.locator('.DocSearch-Button').click()
    await page.locator('.search-input').fill('transfer a call')

    expect(await page.locator('.results a').first().getAttribute('href')).toMatch(/^\/calls/)
    expect(await page.locator('.results a[href*="changelog"]').count()).toBe(0)
    await page.close()
  })

  it.each(['desktop', 'phone'] as const)(
    'the site is readable on a %s and asks nothing of other servers',
    async (name) => {
      const page = await browser?.newPage({ viewport: viewports[name] })
      if (page === undefined) throw new Error('no browser')
      const amiss = watchPage(page, origin)

      await page.goto(`${origin}/quick-start`)
      await page.locator('h1').waitFor()
      await page.screenshot({ path: `${screenshots}/docs-${name}.png` })

      expect(await page.locator('h1').innerText()).toContain('Quick start')
      expect(await excessWidth(page)).toBe(0)
      expect(amiss).toEqual([])
      await page.close()
    },
  )

  it('a search finds the page about a word', async () => {
    const page = await browser?.newPage({ viewport: viewports.desktop })
    if (page === undefined) throw new Error('no browser')
    const amiss = watchPage(page, origin)
    await page.goto(origin)

    await page.locator('.DocSearch-Button').click()
    await page.locator('.search-input').fill('barge')
    await page.locator('.results a[href*="/calls"]').first().click()

    await page.waitForURL('**/calls*')
    expect(amiss).toEqual([])
    await page.close()
  })
})
