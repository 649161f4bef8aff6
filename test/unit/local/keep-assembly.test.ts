import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { keepAssembly } from '../../../local/synthesis/keep-assembly.ts'

const root = mkdtempSync(join(tmpdir(), 'callplane-keep-'))

afterEach(() => rmSync(root, { recursive: true, force: true }))

it('a running platform keeps its functions when the assembly is rebuilt', () => {
  const made = join(root, 'cdk.out')
  mkdirSync(join(made, 'asset.1'), { recursive: true })
  writeFileSync(join(made, 'asset.1', 'index.mjs'), 'first')
  const folder = openDataFolder(join(root, 'state'))
  writeFileSync(join(folder.path, 'demo-accounts.json'), '{}')

  const kept = keepAssembly(made, folder)
  rmSync(made, { recursive: true })

  expect(readFileSync(join(kept, 'asset.1', 'index.mjs'), 'utf8')).toBe('first')

  mkdirSync(join(made, 'asset.2'), { recursive: true })
  keepAssembly(made, folder)

  expect(readdirSync(kept)).toEqual(['asset.2'])
  expect(folder.read('demo-accounts.json')).toBe('{}')
})
