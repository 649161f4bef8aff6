import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRecordings } from '../../../connector/settings.ts'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { readSecrets } from '../../../local/data/kept-secrets.ts'
import { connectorEnvironment } from '../../../local/platform/local-environment.ts'
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

const container = { name: 'connector', roleArn: '', directory: '', environment: {}, secrets: {} }

test.each([
  [{}, { keepsFiles: false, engineFolder: undefined }],
  [
    { RECORDINGS_ENGINE_DIR: '/var/lib/recordings', RECORDINGS_KEEP: 'on' },
    { keepsFiles: true, engineFolder: '/var/lib/recordings' },
  ],
])('the connector of a run with ENGINE_URL stores the recordings of RECORDINGS_DIR: %o', async (env, expected) => {
  const engine = await engineOf({ RECORDINGS_DIR: folder, ...env })

  const variables = connectorEnvironment(container, {}, { ...engine, engines: engine.addresses, healthPort: 8081 })

  const engineFolder = expected.engineFolder ?? folder
  expect(readRecordings(variables)).toEqual({ folder, engineFolder, keepsFiles: expected.keepsFiles })
})

test('a run with ENGINE_URL refuses a folder of recordings that it cannot use', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')

  await expect(engineOf({ RECORDINGS_DIR: join(folder, 'missing') })).rejects.toThrow(/RECORDINGS_DIR must be a folder/)
  await expect(engineOf({ RECORDINGS_DIR: file })).rejects.toThrow(/RECORDINGS_DIR must be a folder/)
})
