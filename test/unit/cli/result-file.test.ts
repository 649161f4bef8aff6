import { lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { saveDownload } from '../../../cli/output/download.ts'
import { Output } from '../../../cli/output/output.ts'
import { requireNewFile, writeResult } from '../../../cli/output/result-file.ts'

let folder: string
let said: string
const file = () => join(folder, 'acme.yaml')
const stdout = {
  write: (text: string | Uint8Array, done?: () => void) => {
    said += Buffer.from(text).toString()
    done?.()
  },
}
const out = new Output({ json: false, colours: false, stdout, stderr: { write: () => true } })

beforeEach(() => {
  said = ''
  folder = mkdtempSync(join(tmpdir(), 'callplane-result-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('a result replaces the file of its name, and only its user may read it', () => {
  writeFileSync(file(), 'old', { mode: 0o644 })

  writeResult(file(), 'new', out)

  expect([readFileSync(file(), 'utf8'), lstatSync(file()).mode & 0o777]).toEqual(['new', 0o600])
})

it('the file "-" is standard output, for texts and for downloads', async () => {
  writeResult('-', 'callplane: 1\n', out)
  const bytes = await saveDownload(new Response('RIFF'), '-', out)

  expect([said, bytes]).toEqual(['callplane: 1\nRIFF', 4])
  expect(readdirSync('.')).not.toContain('-')
})

it('a link, such as /dev/stdout, and a folder are not replaced by a result', () => {
  writeFileSync(file(), 'mine')
  symlinkSync(file(), join(folder, 'stdout'))

  expect(() => writeResult(join(folder, 'stdout'), 'new', out)).toThrow('is no file: name a file, or "-"')
  expect(() => writeResult(folder, 'new', out)).toThrow('is no file: name a file, or "-"')
  expect([lstatSync(join(folder, 'stdout')).isSymbolicLink(), readFileSync(file(), 'utf8')]).toEqual([true, 'mine'])
})

it('a file that is there is refused before the result that it would hold exists', () => {
  requireNewFile(file())
  writeFileSync(file(), 'secret of another hook')

  expect(() => requireNewFile(file())).toThrow('is there already: remove it or name another file')
})
