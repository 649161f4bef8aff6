/** A real Chromium, where this machine has one, and what pages do in it that they must not. */
import { existsSync } from 'node:fs'
import { type Browser, type Page, chromium } from 'playwright-core'

/** The widths that pages are looked at with. */
export const viewports = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
} as const

const places = [process.env['CHROMIUM_BIN'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser']

/** Returns the path of the installed Chromium: `CHROMIUM_BIN`, or where Debian's package puts it. */
export function installedChromium(): string | undefined {
  return places.find((path) => path !== '' && existsSync(path))
}

/**
 * Starts Chromium, with switches of its own command line where they are given. Its own sandbox does not work for the
 * user root.
 */
export function startBrowser(executablePath: string, switches: readonly string[] = []): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args: [...args, ...switches] })
}

/** Requests of a page to other origins, errors of its scripts and refusals by its content security policy. */
export function watchPage(page: Page, origin: string): readonly string[] {
  const amiss: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:')) {
      amiss.push(`request to ${url}`)
    }
  })
  page.on('pageerror', ({ message }) => amiss.push(`error: ${message}`))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') amiss.push(`${line.type()}: ${line.text()}`)
  })
  return amiss
}

/** Returns by how many pixels a page is wider than its window. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}
