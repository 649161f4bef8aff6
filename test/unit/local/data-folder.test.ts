import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { readSecrets } from '../../../local/data/kept-secrets.ts'
import { readSettings } from '../../../local/settings/settings.ts'
import { contentHash } from '../../../local/synthesis/content-hash.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'data-'))
})

afterEach(() => rmSync(root, { recursive: true }))

describe('the data folder', () => {
  it('the data folder is created if it is missing, for its owner only', () => {
    const folder = openDataFolder(join(root, 'a/b'))
    folder.write('secret', 'x')

    expect(statSync(folder.path).mode & 0o777).toBe(0o700)
    expect(statSync(folder.file('secret')).mode & 0o777).toBe(0o600)
  })

  it('the data folder is refused in one sentence when its path is a file', () => {
    writeFileSync(join(root, 'file'), '')

    expect(() => openDataFolder(join(root, 'file'))).toThrow(/DATA_DIR .*file is not a folder/)
    expect(() => openDataFolder(join(root, 'file/below'))).toThrow(/DATA_DIR .*cannot be/)
  })

  it.runIf(process.platform === 'linux')('the data folder is refused in one sentence if it cannot be created', () => {
    expect(() => openDataFolder('/proc/callplane/data')).toThrow(/cannot be written to \(ENOENT\)/)
  })

  it.skipIf(process.getuid?.() === 0)('the data folder is refused in one sentence when it cannot be written to', () => {
    chmodSync(root, 0o500)

    expect(() => openDataFolder(join(root, 'data'))).toThrow(/cannot be written to \(EACCES\)/)
    chmodSync(root, 0o700)
  })
})

describe('the secrets of a run', () => {
  const settings = readSettings({})

  it('the secrets of a run are created once and kept', () => {
    const first = readSecrets(openDataFolder(root), settings)
    const second = readSecrets(openDataFolder(root), settings)

    expect(first).toMatchObject({
      rootPasswordFrom: 'this start',
      rootPassword: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
    })
    expect(second).toEqual({ ...first, rootPasswordFrom: 'an earlier start' })
  })

  it('the secrets of a run are those of the settings if given, and these are not stored', () => {
    const given = readSettings({ ROOT_PASSWORD: 'chosen', ENGINE_CREDENTIAL: 'agreed' })

    expect(readSecrets(openDataFolder(root), given)).toMatchObject({
      rootPassword: 'chosen',
      engineCredential: 'agreed',
    })
    expect(readdirSync(root).sort()).toEqual(['cursor-key', 'logs', 'sealing-key'])
  })

  it.each(['sealing-key', 'root-password', 'engine-credential', 'cursor-key'])(
    'an empty or garbled file %s is refused with its name, and never replaced',
    (name) => {
      const folder = openDataFolder(root)
      readSecrets(folder, settings)
      for (const contents of ['', '\n', '\0\0\0\0', Buffer.from([0xff, 0xfe])]) {
        folder.write(name, contents)

        expect(() => readSecrets(folder, settings)).toThrow(`${folder.file(name)} is empty or damaged: restore it`)
        expect(readFileSync(folder.file(name))).toEqual(Buffer.from(contents))
      }
    },
  )

  it.each(['short', `${'A'.repeat(43)}=`.replace('A', '*'), 'A'.repeat(43)])(
    'the encryption key %s is refused',
    (key) => {
      const folder = openDataFolder(root)
      folder.write('sealing-key', key)

      expect(() => readSecrets(folder, settings)).toThrow('sealing-key is empty or damaged')
    },
  )

  it('a missing encryption key is not made anew beside data that it must open', () => {
    const folder = openDataFolder(root)
    readSecrets(folder, settings)
    rmSync(folder.file('sealing-key'))
    folder.write('demo-accounts.json', '{}')

    expect(() => readSecrets(folder, settings)).toThrow(/sealing-key is missing or empty beside data .*: restore it/)
    expect(existsSync(folder.file('sealing-key'))).toBe(false)
  })
})

describe('contentHash', () => {
  it('the content hash changes with a name, a content or a missing file, and with nothing else', () => {
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
