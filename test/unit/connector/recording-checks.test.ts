import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { finishRecording } from '../../../connector/recordings/finish-recording.ts'
import { type RecordingDisk, recordingDisk } from '../../../connector/recordings/recording-disk.ts'
import { storeRecording } from '../../../connector/recordings/store-recording.ts'
import type { FileBody, FileStore } from '../../../core/recordings/file-store.ts'
import type { Recording } from '../../../core/recordings/recording.ts'
import { movableClock } from '../../support/movable-clock.ts'
import { aWavFile } from '../../support/recorder-lab.ts'
import { aRecording } from '../../support/records.ts'

/** What is checked before the only copy of a recording is removed from the engine's folder. The disk is a real one. */
const pieces = ['call.wav']
const path = () => join(folder, 'call.wav')
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let folder: string
let disk: RecordingDisk
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-checks-'))
  disk = recordingDisk(folder)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Writes the file with a time of its own, so that the disk's resolution decides nothing. */
async function write(bytes: Buffer, changedAtSeconds = 1_000): Promise<void> {
  await writeFile(path(), bytes)
  await utimes(path(), changedAtSeconds, changedAtSeconds)
}

const finish = (recording: Recording, version?: { readonly size: number; readonly changedAt: number }) =>
  finishRecording({ disk, tell: async () => true, noteInCdr: async () => {}, keepsFiles: false }, recording, {
    pieces,
    version,
  })

const aStored = (bytes: Buffer): Recording => ({
  ...aRecording(),
  state: 'stored',
  isHeld: false,
  version: 2,
  storedAt: 1,
  size: bytes.length,
  sha256: sha256Of(bytes),
})

describe('the file of a recording that this process stored is', () => {
  const bytes = aWavFile()
  const stored = () => aStored(bytes)
  const version = { size: bytes.length, changedAt: 1_000_000 }

  test('removed when it has the length and the time that it was stored with', async () => {
    await write(bytes)

    await finish(stored(), version)

    expect(await readdir(folder)).toEqual([])
  })

  test('kept when it was written since, although it is as long as before', async () => {
    await write(Buffer.alloc(bytes.length, 1), 1_001)

    await finish(stored(), version)

    expect(await readdir(folder)).toEqual(pieces)
  })

  test('kept when it has grown within the resolution of the clock of the disk', async () => {
    await write(aWavFile(3_000))

    await finish(stored(), version)

    expect(await readdir(folder)).toEqual(pieces)
  })

  test('kept when its event is not known to have arrived', async () => {
    await write(bytes)
    const parts = { disk, tell: async () => false, noteInCdr: async () => {}, keepsFiles: false }

    await expect(finishRecording(parts, stored(), { pieces, version })).rejects.toThrow('not in its queue')

    expect(await readdir(folder)).toEqual(pieces)
  })
})

describe('the file of a recording that another process stored is', () => {
  const bytes = aWavFile()
  const stored = (given: Partial<Recording> = {}): Recording => ({ ...aStored(bytes), ...given })

  test('removed when its length and its checksum are those of the record', async () => {
    await write(bytes)

    await finish(stored())

    expect(await readdir(folder)).toEqual([])
  })

  test('kept when another recording of the same length went into it', async () => {
    await write(Buffer.alloc(bytes.length, 1))

    await finish(stored())

    expect(await readdir(folder)).toEqual(pieces)
  })

  test('kept when the record tells another length', async () => {
    await write(bytes)

    await finish(stored({ size: bytes.length + 1 }))

    expect(await readdir(folder)).toEqual(pieces)
  })

  test.each(['size', 'sha256'] as const)('kept when the record tells no %s', async (field) => {
    await write(bytes)

    await finish(stored({ [field]: undefined }))

    expect(await readdir(folder)).toEqual(pieces)
  })
})

describe('a recording is not stored, and its file stays,', () => {
  /** Above 16 MiB a file goes in parts of 8 MiB. */
  const largeFile = () => aWavFile(8_700_000)
  const place = { domain: 'a.example.com', uuid: randomUUID(), id: 'recording' }

  /** Stores the file through an object store that a test may change. */
  async function storeWith(change: (files: MemoryPorts['recordingFiles']) => Partial<FileStore>) {
    const clock = movableClock()
    const ports = memoryPorts({ clock, random: systemRandomness })
    const expected = aRecording(place)
    await ports.recordings.expect(expected)
    const recordingFiles = { ...ports.recordingFiles, ...change(ports.recordingFiles) }
    const stored = storeRecording(
      { ...ports, recordingFiles, disk, clock, connectorId: 'connector-1', signal: new AbortController().signal },
      expected,
      pieces,
    )
    const problem = await stored.then(
      () => 'none',
      (error: unknown) => (error instanceof Error ? error.message : 'unknown'),
    )
    const record = await ports.recordings.read(expected)
    return { problem, state: record?.state }
  }

  test('when the file is written while it is put into the object store as a whole', async () => {
    await write(aWavFile())

    const { problem, state } = await storeWith((files) => ({
      put: async (...given) => {
        await files.put(...given)
        await utimes(path(), 1_001, 1_001)
      },
    }))

    expect([problem, state, await readdir(folder)]).toEqual([
      'the file was written while it was read',
      'expected',
      pieces,
    ])
  })

  test('when the file grows while it is put into the object store in parts', async () => {
    await write(largeFile())

    const { problem, state } = await storeWith((files) => ({
      putPart: async (...given) => {
        const part = await files.putPart(...given)
        await writeFile(path(), 'more', { flag: 'a' })
        return part
      },
    }))

    expect([problem, state, await readdir(folder)]).toEqual([
      'the file was written while it was read',
      'expected',
      pieces,
    ])
  })

  test.each([
    ['is shorter than its file', { size: 9, contentType: 'audio/wav', state: 'ready' } as const],
    ['is not there', undefined],
  ])('when the object that was put %s', async (_title, head) => {
    await write(aWavFile())

    const { problem, state } = await storeWith(() => ({ head: async () => head }))

    expect([problem, state]).toEqual(['the object is not as long as its file', 'expected'])
    expect((await stat(path())).size).toBe(aWavFile().length)
  })

  test('a part that an earlier attempt put is sent again where its bytes are others now', async () => {
    const bytes = largeFile()
    await write(bytes)
    const clock = movableClock()
    const ports = memoryPorts({ clock, random: systemRandomness })
    const expected = aRecording(place)
    await ports.recordings.expect(expected)
    const claimed = await ports.recordings.claim(expected, 'connector-0', { now: clock.now(), until: clock.now() + 1 })
    const key = claimed?.key ?? ''
    const upload = await ports.recordingFiles.beginUpload(key, 'audio/wav')
    await ports.recordings.renew(expected, 'connector-0', clock.now() + 1, upload.uploadId)
    const old = Buffer.alloc(8 * 1024 * 1024, 1)
    await ports.recordingFiles.putPart(upload, 1, bodyOf(old))
    clock.move(2)

    const end = await storeRecording(
      { ...ports, disk, clock, connectorId: 'connector-1', signal: new AbortController().signal },
      expected,
      pieces,
    )

    expect(end.kind).toBe('stored')
    expect(sha256Of(Buffer.from(ports.recordingFiles.files.get(key)?.bytes ?? ''))).toBe(sha256Of(bytes))
  })
})

function bodyOf(bytes: Buffer): FileBody {
  async function* once() {
    yield bytes
  }
  return { bytes: once(), size: bytes.length, sha256: sha256Of(bytes) }
}
