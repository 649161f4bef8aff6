/** The API reference in a real Chromium, with a look at its pages in node_modules/.cache/screenshots. */
import { mkdirSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../contracts/routes/index.ts'
import { excessWidth, installedChromium, startBrowser, viewports, watchPage } from '../support/browser/browser.ts'
import { type TestPlatform, aPlatform } from '../support/platform/platform.ts'

const chromium = installedChromium()
if (chromium === undefined) console.warn('the API reference is not tested: no Chromium is installed')

const screenshots = 'node_modules/.cache/screenshots'
const operations = routes.reduce((sum, { otherMethods = [] }) => sum + 1 + otherMethods.length, 0)

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

/** Opens the reference and waits until it shows the operations. */
async function openReference(name: keyof typeof viewports) {
  const page = await browser.newPage({ viewport: viewports[name] })
  const amiss = watchPage(page, platform.url)
  await page.goto(`${platform.url}/docs`)
  await page.locator('.opblock').first().waitFor()
  return { page, amiss }
}

/** Opens an operation, gives it a body if one is named, and executes it; returns the status that the page shows. */
async function tryOut(page: Page, operation: string, body?: object): Promise<string> {
  const block: Locator = page.locator(`[id$="-${operation}"]`)
  await block.locator('.opblock-summary-control').click()
  if (body !== undefined) await block.locator('textarea').fill(JSON.stringify(body))
  await block.locator('.execute').click()
  return block.locator('.live-responses-table .response .response-col_status').innerText()
}

describe.skipIf(chromium === undefined)('the API reference', () => {
  it.each(['desktop', 'phone'] as const)(
    'the API reference shows each operation on a %s, asks nothing of other servers and breaks no policy',
    async (name) => {
      const { page, amiss } = await openReference(name)

      await page.screenshot({ path: `${screenshots}/api-reference-${name}.png` })
      expect(await page.locator('.opblock').count()).toBe(operations)
      expect(await page.locator('.opblock').first().isVisible()).toBe(true)
      await page.locator('[id$="-createAccount"] .opblock-summary-control').click()
      await page.locator('[id$="-createAccount"] .execute').scrollIntoViewIfNeeded()
      await page.screenshot({ path: `${screenshots}/api-reference-operation-${name}.png` })

      expect(await excessWidth(page)).toBe(0)
      expect(amiss).toEqual([])
      await page.close()
    },
  )

  it('a login on the page of the API reference lets all other operations be tried', async () => {
    const { page, amiss } = await openReference('desktop')
    const password = platform.platform.kept.rootPassword

    const refused = await tryOut(page, 'whoAmI')
    const loggedIn = await tryOut(page, 'logIn', { username: 'root', password })
    const status = await tryOut(page, 'readStatus')
    await page.screenshot({ path: `${screenshots}/api-reference-tried.png` })

    expect([refused, loggedIn, status]).toEqual(['401', '200', '200'])
    // The browser itself reports the refusal.
    expect(amiss).toEqual([expect.stringContaining('401')])
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
