import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DomainError } from '../../../core/errors.ts'
import { partBytes } from '../../../core/recordings/upload-recording.ts'
import { handler } from '../../../functions/engine/upload-recording.ts'
import { addressOf, listen } from '../../../local/processes/listen.ts'
import { runCommand } from '../../support/platform/command.ts'
import { type RecordingLab, openRecordingLab } from '../../support/platform/recordings-lab.ts'
import { manyBytes } from '../../support/processes/file-bodies.ts'
import { opened } from '../../support/processes/opened.ts'
import { aRecording } from '../../support/records/records.ts'

const lab = opened<RecordingLab>(openRecordingLab)
const uuid = '0b8a1f7e-1111-4222-8333-9c1d2e3f4a5b'
const domain = aRecording().domain

let folder: string
let platform: Server
let statuses: number[]
/** Whether the object store refuses legal holds, as a bucket without Object Lock does. */
let isLockless = false
beforeEach(async () => {
  isLockless = false
  folder = mkdtempSync(join(tmpdir(), 'callplane-send-'))
  mkdirSync(join(folder, domain))
  statuses = []
  platform = createServer((request, response) => {
    const answer = async () => {
      const rawBody = (await buffer(request)).toString()
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const { recordingFiles } = lab().api.ports
      const hold = async (...given: Parameters<typeof recordingFiles.hold>) => {
        if (isLockless) throw new DomainError('store_unavailable', 'the store does not lock objects yet')
        await recordingFiles.hold(...given)
      }
      const api = lab().api.with({ recordingFiles: { ...recordingFiles, hold } })
      const { status, text } = await api.call(handler, { rawBody, headers })
      statuses.push(status)
      response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
    }
    answer().catch(() => response.destroy())
  })
  await listen(platform, { host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  platform.closeAllConnections()
  platform.close()
  await once(platform, 'close')
  rmSync(folder, { recursive: true, force: true })
})

const write = (name: string, bytes: Buffer) => writeFileSync(join(folder, domain, name), bytes)
const left = () => readdirSync(join(folder, domain))

async function send(credential = lab().api.ports.secrets.engine) {
  const config = join(folder, 'credential')
  writeFileSync(config, `user = "engine:${credential}"\n`, { mode: 0o600 })
  const url = `http://${addressOf(platform)}/engine/recordings`
  const env = { ...process.env, SEND_RECORDINGS_MIN_AGE_MINUTES: '-1' }
  return runCommand('sh', ['engine/bin/send-recordings', folder, url, config], { cwd: process.cwd(), env })
}

test('a recording of several parts is stored whole and removed at the engine, and one that no connector reported stays', async () => {
  const bytes = manyBytes(partBytes + 5)
  write(`${uuid}.wav`, bytes)
  write('unknown.wav', Buffer.from('sound'))
  const now = Date.now()
  const expected = await lab().api.ports.recordings.expect(
    aRecording({ uuid, name: `${uuid}.wav`, startedAt: now - 9_000, endedAt: now - 1_000 }),
  )

  expect(await send()).toEqual({ status: 0, output: '' })

  expect(left()).toEqual(['unknown.wav'])
  expect(await lab().api.ports.recordings.read(expected)).toMatchObject({ state: 'stored', size: bytes.length })
  const stored = await lab().api.ports.recordingFiles.read(expected.key, bytes.length)
  expect(Buffer.from(stored ?? []).equals(bytes)).toBe(true)
})

test('the files of recordings stay while the platform refuses the credential', async () => {
  write(`${uuid}.wav`, Buffer.from('sound'))

  const { status, output } = await send('wrong')

  expect([status, output]).toEqual([1, expect.stringContaining('answered 401')])
  expect([left(), statuses]).toEqual([[`${uuid}.wav`], [401]])
})

test('a recording whose lock is refused is stored and published, stays at the engine, keeps no other waiting, and has its own line in the log', async () => {
  const { ports, log } = lab().api
  const other = '1b8a1f7e-1111-4222-8333-9c1d2e3f4a5b'
  const now = Date.now()
  const [held, free] = await Promise.all(
    [uuid, other].map(async (each) => {
      write(`${each}.wav`, Buffer.from('sound'))
      const about = { uuid: each, id: each, name: `${each}.wav`, startedAt: now - 9_000, endedAt: now - 1_000 }
      return ports.recordings.expect(aRecording(about))
    }),
  )
  if (held === undefined || free === undefined) throw new TypeError('two recordings are expected')
  await ports.recordings.setHold(held, true)
  isLockless = true

  const first = await send()
  const after = left()
  isLockless = false
  await send()

  expect([first, after]).toEqual([{ status: 0, output: '' }, [`${uuid}.wav`]])
  expect(left()).toEqual([])
  expect((await ports.recordings.read(free))?.state).toBe('stored')
  expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'a stored recording may lack the lock of its legal hold; it is tried again', keys: { uuid } },
  ])
})
