import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('a clone that was made for Windows has the scripts and units of the engine kit as they are', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-clone-'))
  const origin = join(folder, 'origin')
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { stdio: 'pipe' })
  const fixture = 'test/fixtures/freeswitch/cdr-json/busy-1.http'
  try {
    for (const path of ['.gitattributes', 'engine', fixture]) cpSync(path, join(origin, path), { recursive: true })
    git('init', '--quiet', origin)
    git('-C', origin, 'add', '--all')
    git('-C', origin, 'commit', '--quiet', '--message=all')
    git('-c', 'core.autocrlf=true', 'clone', '--quiet', origin, join(folder, 'clone'))

    const kit = readdirSync('engine', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = kit.map(({ parentPath, name }) => join(parentPath, name)).concat(fixture)
    const changed = paths.filter((path) => !readFileSync(path).equals(readFileSync(join(folder, 'clone', path))))

    expect(paths.length).toBeGreaterThan(10)
    expect(changed).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
