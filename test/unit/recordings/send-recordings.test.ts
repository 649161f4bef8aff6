import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DomainError } from '../../../core/errors.ts'
import { partBytes } from '../../../core/recordings/upload-recording.ts'
import { handler } from '../../../functions/engine/upload-recording.ts'
import { toneFile } from '../../../packages/simulated-freeswitch/calls/wav.ts'
import { runCommand } from '../../support/platform/command.ts'
import { type FunctionServer, openFunctionServer } from '../../support/platform/function-server.ts'
import { type RecordingHarness, openRecordingHarness } from '../../support/platform/recordings-harness.ts'
import { manyBytes } from '../../support/processes/file-bodies.ts'
import { opened } from '../../support/processes/opened.ts'
import { aRecording } from '../../support/records/records.ts'

const harness = opened<RecordingHarness>(openRecordingHarness)
const uuid = '0b8a1f7e-1111-4222-8333-9c1d2e3f4a5b'
const domain = aRecording().domain

let folder: string
let platform: FunctionServer
let statuses: number[]
let offered: (string | null)[]
/** Whether the object store refuses legal holds, as a bucket without Object Lock does. */
let isLockless = false
beforeEach(async () => {
  isLockless = false
  folder = mkdtempSync(join(tmpdir(), 'callplane-send-'))
  mkdirSync(join(folder, domain))
  statuses = []
  offered = []
  platform = await openFunctionServer(async ({ rawBody, headers }) => {
    offered.push(new URLSearchParams(rawBody).get('name'))
    const { recordingFiles } = harness().api.ports
    const hold = async (...given: Parameters<typeof recordingFiles.hold>) => {
      if (isLockless) throw new DomainError('store_unavailable', 'the store does not lock objects yet')
      await recordingFiles.hold(...given)
    }
    const api = harness().api.with({ recordingFiles: { ...recordingFiles, hold } })
    const { status, text } = await api.call(handler, { rawBody, headers })
    statuses.push(status)
    return { status, text }
  })
})
afterEach(async () => {
  await platform.close()
  rmSync(folder, { recursive: true, force: true })
})

const write = (name: string, bytes: Buffer) => writeFileSync(join(folder, domain, name), bytes)
const left = () => readdirSync(join(folder, domain))

function argumentsOf(credential = harness().api.ports.secrets.engine): string[] {
  const config = join(folder, 'credential')
  writeFileSync(config, `user = "engine:${credential}"\n`, { mode: 0o600 })
  return [folder, `http://${platform.address}/engine/recordings`, config]
}

async function send(credential?: string) {
  const given = ['engine/bin/send-recordings', '--once', ...argumentsOf(credential)]
  return runCommand('sh', given, { cwd: process.cwd(), env: process.env })
}

test('a recording of several parts is stored whole and removed at the engine, and one that no connector reported stays', async () => {
  const bytes = manyBytes(partBytes + 5)
  write(`${uuid}.wav`, bytes)
  write('unknown.wav', Buffer.from('sound'))
  const now = Date.now()
  const expected = await harness().api.ports.recordings.expect(
    aRecording({ uuid, name: `${uuid}.wav`, startedAt: now - 9_000, endedAt: now - 1_000 }),
  )

  expect(await send()).toEqual({ status: 0, output: '' })

  expect(left()).toEqual(['unknown.wav'])
  expect(await harness().api.ports.recordings.read(expected)).toMatchObject({ state: 'stored', size: bytes.length })
  const stored = await harness().api.ports.recordingFiles.read(expected.key, bytes.length)
  expect(Buffer.from(stored ?? []).equals(bytes)).toBe(true)
})

test('nothing from outside of the folder is offered, whatever names and links a hostile program leaves there', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'callplane-outside-'))
  writeFileSync(join(outside, `${uuid}.wav`), 'secret')
  symlinkSync(join(outside, `${uuid}.wav`), join(folder, domain, 'link.wav'))
  symlinkSync(outside, join(folder, 'linked'))
  // The second line of such a name would be the path of the secret.
  mkdirSync(join(folder, `x\n${outside}`), { recursive: true })
  writeFileSync(join(folder, `x\n${outside}`, `${uuid}.wav`), 'bait')

  expect(await send()).toEqual({ status: 0, output: '' })

  expect([offered, readdirSync(outside)]).toEqual([[], [`${uuid}.wav`]])
  rmSync(outside, { recursive: true })
})

const sound = toneFile(24_000)
/** The header of a file that a real engine has not finished: it has no lengths. */
const unfinished = Buffer.from(
  '524946460800000057415645666d74201000000001000100401f0000803e0000020010006461746100000000',
  'hex',
)

test('the lengths in the header of a recording that its engine could not finish are repaired, and the recording is incomplete', async () => {
  const uuid = randomUUID()
  write(`${uuid}.wav`, Buffer.concat([unfinished, sound.subarray(44)]))
  const expected = await harness().api.ports.recordings.expect(aRecording({ uuid, name: `${uuid}.wav` }))

  expect(await send()).toEqual({ status: 0, output: '' })

  expect(left()).toEqual([])
  const stored = await harness().api.ports.recordingFiles.read(expected.key, 1e6)
  expect(Buffer.from(stored ?? [])).toEqual(sound)
  expect(await harness().api.ports.recordings.read(expected)).toMatchObject({
    state: 'stored',
    incomplete: 'the engine ended during the recording',
  })
})

test('a recording that holds less sound than the engine has reported is incomplete', async () => {
  const uuid = randomUUID()
  write(`${uuid}.wav`, sound)
  const about = { uuid, name: `${uuid}.wav`, reportedMs: 4_001 }
  const expected = await harness().api.ports.recordings.expect(aRecording(about))

  await send()

  const incomplete = 'it holds 3000 ms of 4001 ms'
  expect(await harness().api.ports.recordings.read(expected)).toMatchObject({ state: 'stored', incomplete })
})

test('the files of recordings stay while the platform refuses the credential', async () => {
  write(`${uuid}.wav`, Buffer.from('sound'))

  const { status, output } = await send('wrong')

  expect([status, output]).toEqual([1, expect.stringContaining('answered 401')])
  expect([left(), statuses]).toEqual([[`${uuid}.wav`], [401]])
})

test('a recording whose lock is refused is stored and published, stays at the engine, keeps no other waiting, and has its own line in the log', async () => {
  const { ports, log } = harness().api
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

test('a file is found by its name wherever it is below the folder, and links and hidden files are not sent', async () => {
  const { ports } = harness().api
  const now = Date.now()
  const name = 'in-2026 <8082770598> & more.wav'
  const recording = await ports.recordings.expect(
    aRecording({ uuid: 'call-of-this-test', name, startedAt: now - 9_000, endedAt: now - 1_000 }),
  )
  mkdirSync(join(folder, domain, '2026', '.hidden'), { recursive: true })
  writeFileSync(join(folder, domain, '2026', name), 'sound')
  writeFileSync(join(folder, domain, '2026', '.hidden', name), 'other sound')
  symlinkSync('/etc/hostname', join(folder, domain, 'link.wav'))

  expect(await send()).toEqual({ status: 0, output: '' })

  expect((await ports.recordings.read(recording))?.state).toBe('stored')
  expect(readdirSync(join(folder, domain, '2026'))).toEqual(['.hidden'])
  expect(left()).toContain('link.wav')
})

test.each([
  ['off', []],
  ['on', ['2b8a1f7e-on.wav']],
])(
  'while it runs the script sends files soon after they are finished; with SEND_RECORDINGS_KEEP=%s it leaves %o',
  async (keep, kept) => {
    const { ports } = harness().api
    const TMPDIR = mkdtempSync(join(tmpdir(), 'callplane-send-work-'))
    const env = { ...process.env, TMPDIR, SEND_RECORDINGS_KEEP: keep }
    const script = spawn('sh', ['engine/bin/send-recordings', ...argumentsOf()], {
      env,
      stdio: 'inherit',
      detached: true,
    })
    try {
      const now = Date.now()
      const call = `2b8a1f7e-${keep}`
      const recording = await ports.recordings.expect(
        aRecording({ uuid: call, name: `${call}.wav`, startedAt: now - 9_000, endedAt: now - 1_000 }),
      )
      // Where files are kept, those from before the start are not offered.
      await expect.poll(() => readdirSync(TMPDIR, { recursive: true }).join(), { timeout: 20_000 }).toContain('younger')
      write(`${call}.wav`, Buffer.from('sound'))

      await expect.poll(async () => (await ports.recordings.read(recording))?.state, { timeout: 20_000 }).toBe('stored')
      await expect.poll(left).toEqual(kept)
    } finally {
      const ended = once(script, 'exit')
      process.kill(-(script.pid ?? 0), 'SIGTERM')
      await ended
      rmSync(TMPDIR, { recursive: true, force: true })
    }
  },
)

test('a file that is being written is offered by no pass', async () => {
  const script = spawn('sh', ['engine/bin/send-recordings', ...argumentsOf()], { stdio: 'inherit', detached: true })
  try {
    // Its time is always later than the last pass.
    write(`${uuid}.wav`, Buffer.from('half of a sound'))
    const later = new Date(Date.now() + 3_600_000)
    utimesSync(join(folder, domain, `${uuid}.wav`), later, later)
    write('finished.wav', Buffer.from('sound'))

    await expect.poll(() => offered.length, { timeout: 20_000 }).toBeGreaterThan(0)
    // A later pass offers only what is young.
    write('young.wav', Buffer.from('sound'))
    await expect.poll(() => offered, { timeout: 20_000 }).toContain('young.wav')

    expect(new Set(offered)).toEqual(new Set(['finished.wav', 'young.wav']))
  } finally {
    const ended = once(script, 'exit')
    process.kill(-(script.pid ?? 0), 'SIGTERM')
    await ended
  }
})
