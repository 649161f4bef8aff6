import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../support/platform/command.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-start-engine-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the script of the kit, with a program in place of the engine that prints its arguments. */
function startEngine(settings: Readonly<Record<string, string>>) {
  const folders = ['STATE_FOLDER', 'LOG_FOLDER', 'RUN_FOLDER', 'RECORDINGS_FOLDER', 'CDR_FOLDER']
  const env = {
    ...Object.fromEntries(folders.map((name) => [name, join(folder, name)])),
    PATH: process.env['PATH'],
    PLATFORM_URL: 'https://api.example.com',
    ENGINE_CREDENTIAL: 'the-credential',
    EVENT_SOCKET_PASSWORD: 'the-password',
    FREESWITCH_BIN: 'echo',
    ...settings,
  }
  return runCommand('sh', [join(process.cwd(), 'engine/bin/start-engine')], { cwd: folder, env })
}

test.each(['', '1', '2', '4'])(
  'an engine starts with lookups that end before a flush is repeated: %j',
  async (seconds) => {
    expect(await startEngine({ PLATFORM_TIMEOUT: seconds })).toMatchObject({
      status: 0,
      output: expect.stringContaining('-conf'),
    })
  },
)

test.each(['0', '5', '10', '2.5', 'two', '-1'])(
  'an engine does not start with lookups of %s seconds, which could bring an old answer back after the last flush',
  async (seconds) => {
    const { status, output } = await startEngine({ PLATFORM_TIMEOUT: seconds })

    expect(status).toBe(1)
    expect(output).toContain('PLATFORM_TIMEOUT is not 1 to 4 seconds')
  },
)

test.each([
  ['TLS', 'yes'],
  ['SRTP', 'required'],
  ['GATEWAY_TLS_VERIFY', 'all'],
  ['EXTERNAL_IP', 'engine.example.com'],
])('an engine does not start with a setting that it would read as another one: %s=%s', async (name, value) => {
  const { status, output } = await startEngine({ [name]: value, TLS_FOLDER: folder })

  expect(status).toBe(1)
  expect(output).toContain(name)
})

test.each([
  ['TLS', 'true'],
  ['WSS_BINDING', ':7443'],
])(
  'an engine does not start with %s=%s and no certificate, since it would make one that no phone trusts',
  async (name, value) => {
    const settings = { [name]: value, TLS_FOLDER: folder }
    const { status, output } = await startEngine(settings)
    expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining('renew-certificate') })

    for (const file of ['tls.pem', 'wss.pem']) writeFileSync(join(folder, file), '')
    expect(await startEngine(settings)).toMatchObject({ status: 0 })
  },
)
