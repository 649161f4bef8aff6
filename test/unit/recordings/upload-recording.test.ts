import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { Recording } from '../../../core/recordings/recording.ts'
import {
  type OfferedFile,
  type UploadState,
  partBytes,
  uploadClaimMs,
  uploadRecording,
} from '../../../core/recordings/upload-recording.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { aFileBody, manyBytes } from '../../support/processes/file-bodies.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aKnownCall, aRecording } from '../../support/records/records.ts'

const graceMs = 120_000
let time = manualTime()
let ports: MemoryPorts
let recording: Recording

beforeEach(async () => {
  time = manualTime()
  ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: aRecording().domain, createdAt: 0 }))
  const now = time.clock.now()
  recording = await ports.recordings.expect(
    aRecording({ name: 'call.wav', startedAt: now - 9_000, endedAt: now - 1_000 }),
  )
})

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const piecesOf = (bytes: Buffer) =>
  Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, at) =>
    bytes.subarray(at * partBytes, (at + 1) * partBytes),
  )
const sound = Buffer.from('sound')
const large = manyBytes(2 * partBytes + 5)

const offerOf = (bytes: Buffer, changed: Partial<OfferedFile> = {}): OfferedFile => ({
  domain: recording.domain,
  uuid: recording.uuid,
  name: 'call.wav',
  size: bytes.length,
  sha256: sumOf(bytes),
  parts: piecesOf(bytes).map(sumOf),
  ...changed,
})
const offer = (bytes: Buffer, changed: Partial<OfferedFile> = {}) =>
  uploadRecording({ ...ports, clock: time.clock, graceMs }, offerOf(bytes, changed))

/** Puts the parts that were asked for, as far as their numbers are not left out. */
async function put(state: UploadState, bytes: Buffer, leftOut: readonly number[] = []): Promise<void> {
  const uploadId = ports.recordingFiles.openUploads().at(-1) ?? ''
  const parts = state.kind === 'upload' ? state.parts : []
  for (const { number } of parts.filter((part) => !leftOut.includes(part.number))) {
    const piece = piecesOf(bytes)[number - 1] ?? Buffer.of()
    await ports.recordingFiles.putPart({ key: recording.key, uploadId }, number, aFileBody(piece))
  }
}

const numbersOf = (state: UploadState) =>
  state.kind === 'upload' ? state.parts.map(({ number }) => number) : state.kind
const stored = () => ports.recordings.read(recording)

test('a recording is requested part by part, and stored when all parts have arrived', async () => {
  const asked = await offer(large)
  expect(numbersOf(asked)).toEqual([1, 2, 3])

  await put(asked, large)
  expect(await offer(large)).toEqual({ kind: 'stored' })

  expect(await stored()).toMatchObject({
    state: 'stored',
    size: large.length,
    sha256: sumOf(large),
    contentType: 'audio/wav',
  })
  expect(Buffer.from((await ports.recordingFiles.read(recording.key, large.length)) ?? []).equals(large)).toBe(true)
  expect(ports.events.published).toMatchObject([{ name: 'CUSTOM->svc::recording_stored', uuid: recording.uuid }])
  expect(ports.cdrQueue.queued).toMatchObject([{ kind: 'recording', uuid: recording.uuid }])
  expect(ports.recordingFiles.openUploads()).toEqual([])
})

test.each([
  ['the engine could not write', { completionCause: 'uri-failure' }, {}, 'the engine ended it with uri-failure'],
  ['holds no speech', { completionCause: 'no-input-timeout' }, {}, 'the engine ended it with no-input-timeout'],
  ['lacks sound', { reportedMs: 8_000 }, { soundMs: 6_999 }, 'it holds 6999 ms of 8000 ms'],
  ['the engine left unfinished', {}, { isUnfinished: true }, 'the engine ended during the recording'],
])(
  'a recording that %s is stored as incomplete, and an event says so besides that of its storing',
  async (...given) => {
    const [, reported, more, reason] = given
    recording = await ports.recordings.expect({ ...recording, ...reported })

    await put(await offer(sound, more), sound)
    expect([await offer(sound, more), await offer(sound, more)]).toEqual([{ kind: 'stored' }, { kind: 'stored' }])

    expect(await stored()).toMatchObject({ state: 'stored', incomplete: reason })
    expect(ports.events.published.map(({ name, fields }) => [name, fields['Recording-Incomplete']])).toEqual([
      ['CUSTOM->svc::recording_stored', reason],
      ['CUSTOM->svc::recording_failed', reason],
    ])
  },
)

test('a recording that lacks a second, or whose engine counts at another sample rate, is whole', async () => {
  recording = await ports.recordings.expect({ ...recording, completionCause: 'success-silence', reportedMs: 60_000 })

  await put(await offer(sound, { soundMs: 7_000 }), sound)
  await offer(sound, { soundMs: 7_000 })

  expect((await stored())?.incomplete).toBeUndefined()
  expect(ports.events.published).toHaveLength(1)
})

test('a repeated offer of a recording requests only the parts that did not arrive', async () => {
  await put(await offer(large), large, [2])

  expect(numbersOf(await offer(large))).toEqual([2])
})

test('the changed parts of a recording are requested again if its file changed since the last offer', async () => {
  await put(await offer(sound), sound)

  expect(numbersOf(await offer(Buffer.from('sounD')))).toEqual('elsewhere')
  await time.advance(uploadClaimMs)
  expect(numbersOf(await offer(Buffer.from('sounD')))).toEqual([1])
})

test('an offer of a recording that is already stored publishes the same event again, and requests nothing', async () => {
  await put(await offer(sound), sound)
  const publish = ports.events.publish.bind(ports.events)
  ports.events.publish = async (events) => events.map(({ id }) => id)
  await expect(offer(sound)).rejects.toMatchObject({ code: 'store_unavailable' })
  ports.events.publish = publish

  expect(await offer(sound)).toEqual({ kind: 'stored' })

  expect(ports.events.published).toHaveLength(1)
  expect(await offer(Buffer.from('other'))).toEqual({ kind: 'elsewhere' })
})

describe('a file that is taken', () => {
  test.each<[string, Partial<OfferedFile>]>([
    ['is not named after its call', { uuid: 'call' }],
    ['is in no folder of a domain', { domain: '', uuid: 'call' }],
    ['is in a folder that is no domain', { domain: '2026', uuid: 'call' }],
  ])('a file that %s is found by its name', async (_what, changed) => {
    await put(await offer(sound, changed), sound)

    expect([(await offer(sound, changed)).kind, (await stored())?.state]).toEqual(['stored', 'stored'])
  })

  test('a recording whose end no connector heard is taken once its call is not up any more', async () => {
    const call = { domain: recording.domain, uuid: 'going-on' }
    await ports.knownCalls.put(aKnownCall(call))
    const open = await ports.recordings.expect(aRecording({ ...call, name: 'going-on.wav', endedAt: undefined }))
    const file = { uuid: 'going-on', name: 'going-on.wav' }
    expect(await offer(sound, file)).toEqual({ kind: 'recording' })

    await ports.knownCalls.remove([call])

    expect(numbersOf(await offer(sound, file))).toEqual([1])
    expect(await ports.recordings.read(open)).toMatchObject({ endedAt: time.clock.now() })
  })
})

describe('a file that is not taken', () => {
  test('a file is refused while no connector has reported its recording, and while its call continues', async () => {
    const now = time.clock.now()
    await ports.domains.create(aDomain({ name: 'other.example.com', createdAt: 0 }))
    await ports.knownCalls.put(aKnownCall({ domain: recording.domain, uuid: 'going-on' }))
    await ports.recordings.expect(
      aRecording({ uuid: 'going-on', name: 'call.wav', startedAt: now, endedAt: undefined }),
    )

    expect(await offer(sound, { name: 'other.wav' })).toEqual({ kind: 'unknown' })
    expect(await offer(sound, { domain: 'other.example.com' })).toEqual({ kind: 'unknown' })
    expect(await offer(sound, { uuid: 'going-on' })).toEqual({ kind: 'recording' })
  })

  test('a file whose name and folder do not tell its domain is refused if calls of two domains recorded into one of that name', async () => {
    await ports.domains.create(aDomain({ name: 'b.example.com', createdAt: 0 }))
    await ports.recordings.expect(
      aRecording({ domain: 'b.example.com', name: 'call.wav', startedAt: time.clock.now() }),
    )

    expect(await offer(sound, { domain: '', uuid: 'call' })).toEqual({ kind: 'unknown' })
    expect(numbersOf(await offer(sound, { uuid: 'call' }))).toEqual([1])
  })

  test('a file is refused while another uploader has its recording', async () => {
    const now = time.clock.now()
    await ports.recordings.claim(recording, 'upload:other', { now, until: now + 60_000 })

    expect(await offer(sound)).toEqual({ kind: 'elsewhere' })
  })

  test('a file of a recording that was deleted during the upload is not needed, and its parts are removed', async () => {
    await put(await offer(sound), sound)
    await ports.recordings.markDeleted(recording, time.clock.now())

    expect(await offer(sound)).toEqual({ kind: 'deleted' })

    expect(ports.recordingFiles.files.size).toBe(0)
    expect(ports.recordingFiles.openUploads()).toEqual([])
    expect(ports.events.published).toEqual([])
  })

  test('a recording that is deleted while its object is completed leaves no object', async () => {
    await put(await offer(sound), sound)
    const complete = ports.recordingFiles.completeUpload.bind(ports.recordingFiles)
    ports.recordingFiles.completeUpload = async (upload, parts) => {
      const isComplete = await complete(upload, parts)
      await ports.recordings.markDeleted(recording, time.clock.now())
      return isComplete
    }

    expect(await offer(sound)).toEqual({ kind: 'deleted' })

    expect(ports.recordingFiles.files.size).toBe(0)
    expect(ports.events.published).toEqual([])
  })

  /** Has another uploader take the recording, as when this one was held up for longer than its claim. */
  const takeOver = async () => {
    await time.advance(uploadClaimMs)
    const now = time.clock.now()
    await ports.recordings.claim(recording, 'upload:other', { now, until: now + uploadClaimMs })
  }

  test('a recording that another uploader took while its object was completed is not reported as stored, so that its file stays', async () => {
    await put(await offer(sound), sound)
    const complete = ports.recordingFiles.completeUpload.bind(ports.recordingFiles)
    ports.recordingFiles.completeUpload = async (upload, parts) => {
      const isComplete = await complete(upload, parts)
      await takeOver()
      return isComplete
    }

    expect(await offer(sound)).toEqual({ kind: 'elsewhere' })

    expect(await stored()).toMatchObject({ state: 'expected', claim: { by: 'upload:other' } })
    expect([ports.events.published, ports.cdrQueue.queued]).toEqual([[], []])
  })

  test('an upload is given up if another uploader took the recording while it was begun', async () => {
    const begin = ports.recordingFiles.beginUpload.bind(ports.recordingFiles)
    ports.recordingFiles.beginUpload = async (...given) => {
      const upload = await begin(...given)
      await takeOver()
      return upload
    }

    expect(await offer(sound)).toEqual({ kind: 'elsewhere' })

    expect(ports.recordingFiles.openUploads()).toEqual([])
  })

  test.each<[string, Partial<OfferedFile>]>([
    ['a name that is no recording', { name: 'call.txt' }],
    ['fewer checksums than parts', { size: partBytes + 1 }],
    ['more checksums than parts', { parts: [sumOf(sound), sumOf(sound)] }],
  ])('a file with %s is refused', async (_what, changed) => {
    await expect(offer(sound, changed)).rejects.toMatchObject({ code: 'invalid_field' })
  })
})

test('a recording that was put under legal hold before its upload is locked when it is stored', async () => {
  await ports.recordings.setHold(recording, true)

  await put(await offer(sound), sound)
  expect(await offer(sound)).toEqual({ kind: 'stored' })

  expect([...ports.recordingFiles.held]).toEqual([recording.key])
})

test('a stored recording whose lock failed is locked when the engine offers its file again', async () => {
  await ports.recordings.setHold(recording, true)
  await put(await offer(sound), sound)
  const hold = () => Promise.reject(new Error('the object store is away'))
  const apart = { ...ports, recordingFiles: { ...ports.recordingFiles, hold } }
  const refused = await uploadRecording({ ...apart, clock: time.clock, graceMs }, offerOf(sound))
  expect([refused.kind, ports.events.published.length]).toEqual(['unlocked', 1])

  expect(await offer(sound)).toEqual({ kind: 'stored' })

  expect([...ports.recordingFiles.held]).toEqual([recording.key])
})

test('a recording is locked in the end if its hold ends and begins again while it is being locked', async () => {
  await ports.recordings.setHold(recording, true)
  await put(await offer(sound), sound)
  let calls = 0
  const hold = async (key: string, isHeld: boolean) => {
    calls += 1
    if (calls === 1) await ports.recordings.setHold(recording, false)
    if (calls === 2) await ports.recordings.setHold(recording, true)
    await ports.recordingFiles.hold(key, isHeld)
  }
  const racing = { ...ports, recordingFiles: { ...ports.recordingFiles, hold } }

  await uploadRecording({ ...racing, clock: time.clock, graceMs }, offerOf(sound))

  expect([...ports.recordingFiles.held]).toEqual([recording.key])
})

test('a recording is unlocked again if its hold ends while it is being locked', async () => {
  await ports.recordings.setHold(recording, true)
  await put(await offer(sound), sound)
  const hold = async (key: string, isHeld: boolean) => {
    await ports.recordingFiles.hold(key, isHeld)
    if (isHeld) await ports.recordings.setHold(recording, false)
  }
  const racing = { ...ports, recordingFiles: { ...ports.recordingFiles, hold } }

  const end = await uploadRecording({ ...racing, clock: time.clock, graceMs }, offerOf(sound))

  expect([end.kind, [...ports.recordingFiles.held]]).toEqual(['stored', []])
})
