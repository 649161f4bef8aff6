/** The API reference in a real Chromium, with a look at its pages in node_modules/.cache/screenshots. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../contracts/routes/index.ts'
import { axeViolations } from '../support/browser/axe.ts'
import { excessWidth, installedChromium, startBrowser, viewports, watchPage } from '../support/browser/browser.ts'
import { type TestPlatform, aPlatform } from '../support/platform/platform.ts'

const chromium = installedChromium()
if (chromium === undefined) console.warn('the API reference is not tested: no Chromium is installed')

const screenshots = 'node_modules/.cache/screenshots'
const operations = routes.reduce((sum, { otherMethods = [] }) => sum + 1 + otherMethods.length, 0)
const looks = (['light', 'dark'] as const).flatMap((colours) =>
  (['desktop', 'phone'] as const).map((name) => ({ colours, name })),
)

let platform: TestPlatform
let browser: Browser

beforeAll(async () => {
  if (chromium === undefined) return
  mkdirSync(screenshots, { recursive: true })
  platform = await aPlatform()
  browser = await startBrowser(chromium)
})

afterAll(async () => {
  await browser?.close()
  await platform?.close()
})

/** Opens the reference at an operation, or at its beginning, and waits until it is shown. */
async function openReference(name: keyof typeof viewports, hash = '', colours: 'light' | 'dark' = 'light') {
  const page = await browser.newPage({ viewport: viewports[name], colorScheme: colours })
  const amiss = watchPage(page, platform.url)
  await page.goto(`${platform.url}/docs#${hash}`)
  await page.locator('body[data-ready]').waitFor()
  return { page, amiss }
}

/** Sends an operation with some values of its form; returns the status that the page shows. */
async function send(page: Page, operation: string, body?: object): Promise<string> {
  await page.goto(`${platform.url}/docs#${operation}`)
  await page.locator(`nav a[aria-current][href="#${operation}"]`).waitFor({ state: 'attached' })
  if (body !== undefined) await page.locator('textarea').fill(JSON.stringify(body))
  await page.locator('button.send').click()
  return (await page.locator('.result strong').innerText()).slice(0, 3)
}

describe.skipIf(chromium === undefined)('the API reference', () => {
  it.each(looks)(
    'the API reference shows each operation, $colours on a $name, without a violation of axe or of its policy',
    async ({ colours, name }) => {
      const { page, amiss } = await openReference(name, '', colours)
      const violations: string[] = []
      expect(await page.locator('nav li').count()).toBe(operations)

      for (const view of ['', 'originateCall', 'createHooks', 'listAccounts', 'errors']) {
        await page.goto(`${platform.url}/docs#${view}`)
        await page.locator(view === '' ? 'h1:text("Callplane API")' : 'main h1:not(:text("Callplane API"))').waitFor()
        await page.screenshot({ path: `${screenshots}/api-reference-${view || 'home'}-${colours}-${name}.png` })
        expect(await excessWidth(page), view).toBe(0)
        violations.push(...(await axeViolations(page)).map((violation) => `${view} ${violation}`))
      }

      expect(violations).toEqual([])
      expect(amiss).toEqual([])
      await page.close()
    },
  )

  it('the API reference weighs at most 300 KB with all that it loads', async () => {
    const page = await browser.newPage()
    const answers: Promise<number>[] = []
    page.on('response', (response) =>
      answers.push(
        response
          .request()
          .sizes()
          .then((sizes) => sizes.responseBodySize),
      ),
    )
    await page.goto(`${platform.url}/docs`)
    await page.locator('body[data-ready]').waitFor()

    const bytes = (await Promise.all(answers)).reduce((sum, each) => sum + each, 0)
    expect(answers.length).toBeGreaterThan(5)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(300_000)
    await page.close()
  })

  it('the example of the login works at the demo, and then all other operations can be sent', async () => {
    const { page, amiss } = await openReference('desktop')

    const refused = await send(page, 'whoAmI')
    await page.goto(`${platform.url}/docs#logIn`)
    const example = JSON.parse(await page.locator('textarea').inputValue()) as object
    const passwords = JSON.parse(readFileSync(join(platform.dataDir, 'demo-accounts.json'), 'utf8'))
    const password = passwords['1000@demo.example.com']
    const loggedIn = await send(page, 'logIn', { ...example, password })
    const shown = await page.locator('.result pre').innerText()
    const line = await page.getByLabel('The same with curl').innerText()
    const hook = { event: 'CHANNEL_ANSWER', action: { type: 'web', method: 'POST', url: 'http://127.0.0.1:9/events' } }
    const made = await send(page, 'createHooks', hook)
    const signed = await page.locator('.result pre').innerText()
    const listed = await send(page, 'listChannels')
    await page.screenshot({ path: `${screenshots}/api-reference-sent.png` })

    expect(example).toMatchObject({ username: '1000@demo.example.com' })
    expect([refused, loggedIn, listed]).toEqual(['401', '200', '200'])
    expect(await page.locator('#who').innerText()).toBe('signed in as 1000@demo.example.com')
    expect(JSON.parse(shown)).toMatchObject({ token: '••••••••', key: '••••••••' })
    expect(line).toContain('"password":"••••••••"')
    expect(line).not.toContain(password)
    expect(made).toMatch(/^20/)
    expect(signed).toContain('••••••••')
    expect(signed).not.toContain('whsec_')
    expect(await page.locator('main').innerText()).not.toMatch(/eyJ[\w-]{20}/)
    expect(await axeViolations(page)).toEqual([])
    expect(await send(page, 'logOut')).toBe('200')
    expect(await page.locator('#who').innerText()).toBe('Sign in')
    // The browser itself reports the refusal.
    expect(amiss).toEqual([expect.stringContaining('401')])
    await page.close()
  })

  it('a path and a query are part of the request and of its line for a shell', async () => {
    const { page } = await openReference('desktop', 'readAccount')

    await page.getByLabel('account_id').fill("10'01 a")
    await page.getByLabel('domain').fill('a.example.com')

    const line = await page.getByLabel('The same with curl').innerText()
    expect(line).toBe(
      `curl -s '${platform.url}/api/v2/accounts/10%2701%20a?domain=a.example.com' -H @.data/headers`.replace(
        '%27',
        `'\\''`,
      ),
    )
    await page.close()
  })

  it.each([
    ['transfer a call', 'Originate a call'],
    ['delete recordings', 'Delete recordings of a call'],
    ['compact', 'List the events of a domain by their numbers'],
    ['retry', 'no operation'],
  ])('a search for "%s" first finds "%s"', async (query, first) => {
    const { page } = await openReference('desktop')

    await page.locator('#search').fill(query)

    const found = page.locator('nav li').first()
    const text = (await page.locator('nav li').count()) === 0 ? 'no operation' : await found.innerText()
    expect(text).toContain(first)
    await page.close()
  })

  it('a name that is not encoded well leads to the beginning', async () => {
    const { page, amiss } = await openReference('desktop', '%')

    expect(await page.locator('main h1').innerText()).toBe('Callplane API')
    expect(amiss).toEqual([])
    await page.close()
  })

  it('an error of an operation leads to its line on the page of errors', async () => {
    const { page } = await openReference('desktop', 'originateCall')

    await page.locator('a[href="#errors/outcome_unknown"]').click()

    await page.locator('h1:text("Errors")').waitFor()
    expect(await page.locator('tr.here').innerText()).toContain('look at the channels before you repeat')
    await page.close()
  })

  it("the content security policy of the API reference allows only the page's own scripts", async () => {
    const { page, amiss } = await openReference('desktop')

    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.title = "taken over"'
      document.body.append(script)
    `)

    expect(await page.title()).toBe('Callplane API')
    expect(amiss).toEqual([expect.stringContaining('Content Security Policy')])
    await page.close()
  })
})
