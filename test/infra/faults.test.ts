import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** Fault and file of each line of the table. */
const listed = readFileSync('docs/faults.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, fault] = /^\| (F\d\d) \|/.exec(line) ?? []
    return fault === undefined ? [] : [...line.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => `${fault} in ${file}`)
  })

/** Fault and file of each test, or group of tests, whose title begins with a fault. */
const titled = globSync('test/{unit,contract,infra,e2e,full}/**/*.test.ts').flatMap((file) => {
  const titles = readFileSync(file, 'utf8').matchAll(/['"`](F\d\d)[ '"`]/g)
  return Array.from(new Set(Array.from(titles, ([, fault]) => fault)), (fault) => `${fault} in ${file}`)
})

describe('the table of faults', () => {
  it.each(listed)('is right about %s: a test there bears its number', (line) => {
    expect(titled).toContain(line)
  })

  it.each(titled)('has %s', (line) => {
    expect(listed).toContain(line)
  })
})
