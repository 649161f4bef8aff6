import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const listed = new Set(
  Array.from(readFileSync('docs/faults.md', 'utf8').matchAll(/^\| (F\d\d) \|/gm), ([, fault]) => fault),
)

/** The numbers that titles of tests, or of groups of tests, begin with. */
const tested = new Set(
  globSync('test/{unit,contract,infra,e2e,full}/**/*.test.ts').flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/['"`](F\d\d)[ '"`]/g), ([, fault]) => fault),
  ),
)

it('each fault in docs/faults.md has a test, and each fault with a test is listed there', () => {
  expect(tested).toEqual(listed)
})
