/** The rules of axe for readers who do not see, or see little. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns each violation on a page: the rule, and the elements that break it. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(source)
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`,
  )
}
