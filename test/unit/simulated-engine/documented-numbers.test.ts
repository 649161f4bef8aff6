import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ownNumbers } from '../../../packages/simulated-freeswitch/calls/dialplan.ts'

it('docs/simulated-engine.md lists exactly the numbers that the simulated engine has', () => {
  const page = readFileSync('docs/simulated-engine.md', 'utf8')
  const documented = [...page.matchAll(/^\| (\d+) \| \S/gm)].map(([, number = '']) => number)

  expect(documented.toSorted()).toEqual(ownNumbers.toSorted())
})
