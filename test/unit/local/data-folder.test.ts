import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { readSecrets } from '../../../local/data/kept-secrets.ts'
import { readSettings } from '../../../local/settings.ts'
import { contentHash } from '../../../local/synthesis/content-hash.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'data-'))
})

afterEach(() => rmSync(root, { recursive: true }))

describe('the data folder', () => {
  it('is made when it is not there, for its owner only', () => {
    const folder = openDataFolder(join(root, 'a/b'))
    folder.write('secret', 'x')

    expect(statSync(folder.path).mode & 0o777).toBe(0o700)
    expect(statSync(folder.file('secret')).mode & 0o777).toBe(0o600)
  })

  it('is refused in one sentence when a file is in its place', () => {
    writeFileSync(join(root, 'file'), '')

    expect(() => openDataFolder(join(root, 'file'))).toThrow(/DATA_DIR .*file is not a folder/)
    expect(() => openDataFolder(join(root, 'file/below'))).toThrow(/DATA_DIR .*cannot be/)
  })

  it.runIf(process.platform === 'linux')('is refused in one sentence where no folder can be made', () => {
    expect(() => openDataFolder('/proc/callplane/data')).toThrow(/cannot be written to \(ENOENT\)/)
  })

  it.skipIf(process.getuid?.() === 0)('is refused in one sentence when it cannot be written to', () => {
    chmodSync(root, 0o500)

    expect(() => openDataFolder(join(root, 'data'))).toThrow(/cannot be written to \(EACCES\)/)
    chmodSync(root, 0o700)
  })
})

describe('the secrets of a run', () => {
  const settings = readSettings({})

  it('are made once and kept', () => {
    const first = readSecrets(openDataFolder(root), settings)
    const second = readSecrets(openDataFolder(root), settings)

    expect(first).toMatchObject({
      rootPasswordFrom: 'this start',
      rootPassword: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
    })
    expect(second).toEqual({ ...first, rootPasswordFrom: 'an earlier start' })
  })

  it('are those of the settings where given, which are not written down', () => {
    const given = readSettings({ ROOT_PASSWORD: 'chosen', ENGINE_CREDENTIAL: 'agreed' })

    expect(readSecrets(openDataFolder(root), given)).toMatchObject({
      rootPassword: 'chosen',
      engineCredential: 'agreed',
    })
    expect(readdirSync(root).sort()).toEqual(['cursor-key', 'logs', 'sealing-key'])
  })

  it('are refused when the key that seals is damaged', () => {
    const folder = openDataFolder(root)
    folder.write('sealing-key', 'short')

    expect(() => readSecrets(folder, settings)).toThrow(/sealing-key is damaged/)
  })
})

describe('contentHash', () => {
  it('changes with a name, a content or a missing file, and with nothing else', () => {
    writeFileSync(join(root, 'a'), '1')
    const before = contentHash(root, ['.', 'b'])

    expect(contentHash(root, ['.', 'b'])).toBe(before)
    writeFileSync(join(root, 'a'), '2')
    expect(contentHash(root, ['.', 'b'])).not.toBe(before)
    writeFileSync(join(root, 'a'), '1')
    writeFileSync(join(root, 'b'), '')
    expect(contentHash(root, ['.', 'b'])).not.toBe(before)
  })
})
