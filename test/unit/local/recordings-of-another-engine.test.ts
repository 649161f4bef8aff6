import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { readSecrets } from '../../../local/data/kept-secrets.ts'
import { startEngine } from '../../../local/platform/start-engine.ts'
import { readSettings } from '../../../local/settings/settings.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-recordings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ENGINE_URL = 'esl://:secret@192.0.2.1:8021'

/** The engines of a run of `npm start` with these settings. */
function engineOf(env: Readonly<Record<string, string>>) {
  const settings = readSettings({ ENGINE_URL, ...env })
  const data = openDataFolder(join(folder, 'data'))
  return startEngine({
    settings,
    folder: data,
    kept: readSecrets(data, settings),
    apiUrl: 'http://127.0.0.1:8080',
  })
}

test('a run with ENGINE_URL refuses a folder of recordings that it cannot use', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')

  await expect(engineOf({ RECORDINGS_DIR: join(folder, 'missing') })).rejects.toThrow(/RECORDINGS_DIR must be a folder/)
  await expect(engineOf({ RECORDINGS_DIR: file })).rejects.toThrow(/RECORDINGS_DIR must be a folder/)
})
