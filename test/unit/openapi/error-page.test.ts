import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorStatus } from '../../../contracts/routes/shapes.ts'

test('docs/errors.md has each code once, with its status, a cause and a way out', () => {
  const rows = readFileSync('docs/errors.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').replaceAll('`', '')))

  expect(rows.map(([code, status]) => [code, Number(status)])).toEqual(Object.entries(errorStatus))
  for (const [code, , cause = '', wayOut = ''] of rows) {
    expect(cause.length, code).toBeGreaterThan(15)
    expect(wayOut.length, code).toBeGreaterThan(10)
  }
})
