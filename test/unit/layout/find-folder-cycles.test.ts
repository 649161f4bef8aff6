import { expect, it } from 'vitest'
import { findFolderCycles } from '../../support/find-folder-cycles.ts'

const file = (path: string, ...specifiers: string[]) => ({
  path,
  text: specifiers.map((specifier) => `import { a } from '${specifier}'\n`).join(''),
})

it('two folders that import each other are a cycle, reported with the imports that make it', () => {
  const found = findFolderCycles([
    file('a/one.ts', '../b/two.ts'),
    file('b/three.ts', '../a/four.ts'),
    file('c/five.ts', '../a/one.ts'),
  ])
  expect(found).toEqual([
    { folders: ['a', 'b'], imports: ['a/one.ts imports b/two.ts', 'b/three.ts imports a/four.ts'] },
  ])
})

it('a cycle of three folders is found, and two separate cycles are reported as two', () => {
  const three = [file('a/1.ts', '../b/1.ts'), file('b/1.ts', '../c/1.ts'), file('c/1.ts', '../a/1.ts')]
  const two = [file('x/1.ts', './y/1.ts'), file('x/y/1.ts', '../2.ts')]
  expect(findFolderCycles([...three, ...two]).map(({ folders }) => folders)).toEqual([
    ['a', 'b', 'c'],
    ['x', 'x/y'],
  ])
})

it('a type import and an import at run time both count as imports', () => {
  const text = "import type { A } from '../b/one.ts'\n"
  const dynamic = "const b = await import('../a/one.ts')\n"
  expect(
    findFolderCycles([
      { path: 'a/one.ts', text },
      { path: 'b/one.ts', text: dynamic },
    ]),
  ).toHaveLength(1)
})

it('files of one folder may import each other, and a folder may import its subfolders', () => {
  const found = findFolderCycles([
    file('a/one.ts', './two.ts', './b/one.ts'),
    file('a/two.ts', './one.ts'),
    file('a/b/one.ts'),
  ])
  expect(found).toEqual([])
})
