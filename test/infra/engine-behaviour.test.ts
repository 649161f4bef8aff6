import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** File and title of each line of the tables. */
const listed = readFileSync('docs/engine-behaviour.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, file = '', title = ''] = /\| `(test\/[^`]+)` \| (.+) \|$/.exec(line) ?? []
    return file === '' ? [] : [[file, title] as const]
  })

it('lists what engines do', () => {
  expect(listed.length).toBeGreaterThanOrEqual(46)
})

it.each(listed)('%s has a test whose title holds "%s"', (file, title) => {
  expect(existsSync(file) ? readFileSync(file, 'utf8').replaceAll("\\'", "'") : '').toContain(title)
})
