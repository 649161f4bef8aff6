import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ownNumbers } from '../../../local/simulated-engine/calls/dialplan.ts'

it('the manual has every number of the simulated engine in one table, and no other one', () => {
  const page = readFileSync('docs/simulated-engine.md', 'utf8')
  const documented = [...page.matchAll(/^\| (\d+) \| \S/gm)].map(([, number = '']) => number)

  expect(documented.toSorted()).toEqual(ownNumbers.toSorted())
})
