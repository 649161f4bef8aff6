import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { finishRecording } from '../../../connector/recordings/finish-recording.ts'
import { claimMs, storeRecording } from '../../../connector/recordings/store-recording.ts'
import type { FileBody, FileStore } from '../../../core/files/file-store.ts'
import type { ExpectedRecording, Recording } from '../../../core/recordings/recording.ts'
import { type MemoryRecordingDisk, memoryRecordingDisk } from '../../support/connector/memory-recording-disk.ts'
import { type MovableClock, movableClock } from '../../support/processes/movable-clock.ts'
import { aWavFile } from '../../support/connector/recorder-lab.ts'
import { aRecording } from '../../support/records/records.ts'

/** The checks before the only copy of a recording is removed from the engine's folder. */
const path = 'call.wav'
const pieces = [path]
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let diskClock: MovableClock
let disk: MemoryRecordingDisk
beforeEach(() => {
  diskClock = movableClock(1_000_000)
  disk = memoryRecordingDisk(diskClock)
})

/** Writes the file at the moment that the disk's clock shows. */
const write = (bytes: Buffer) => disk.write(path, bytes)

/** Writes the file a second later. */
function rewrite(bytes: Buffer): void {
  diskClock.move(1_000)
  write(bytes)
}

const files = () => [...disk.files.keys()]

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

describe('the file of a recording that this process stored', () => {
  const bytes = aWavFile()
  const stored = () => aStored(bytes)
  const version = { size: bytes.length, changedAt: 1_000_000 }

  test('the file of a recording that this process stored is removed if its length and time are unchanged', async () => {
    write(bytes)

    await finish(stored(), version)

    expect(files()).toEqual([])
  })

  test('a file of the same length that was modified after it was stored is kept', async () => {
    rewrite(Buffer.alloc(bytes.length, 1))

    await finish(stored(), version)

    expect(files()).toEqual(pieces)
  })

  test("a file that has grown within the resolution of the disk's clock is kept", async () => {
    write(aWavFile(3_000))

    await finish(stored(), version)

    expect(files()).toEqual(pieces)
  })

  test('the file of a recording is kept while its event is not known to be queued', async () => {
    write(bytes)
    const parts = { disk, tell: async () => false, noteInCdr: async () => {}, keepsFiles: false }

    await expect(finishRecording(parts, stored(), { pieces, version })).rejects.toThrow('not in its queue')

    expect(files()).toEqual(pieces)
  })
})

describe('the file of a recording that another process stored', () => {
  const bytes = aWavFile()
  const stored = (given: Partial<Recording> = {}): Recording => ({ ...aStored(bytes), ...given })

  test('the file of a recording that another process stored is removed if its length and checksum match the record', async () => {
    write(bytes)

    await finish(stored())

    expect(files()).toEqual([])
  })

  test('a file that holds another recording of the same length is kept', async () => {
    write(Buffer.alloc(bytes.length, 1))

    await finish(stored())

    expect(files()).toEqual(pieces)
  })

  test('a file whose length differs from the record is kept', async () => {
    write(bytes)

    await finish(stored({ size: bytes.length + 1 }))

    expect(files()).toEqual(pieces)
  })

  test.each(['size', 'sha256'] as const)('the file of a recording whose record has no %s is kept', async (field) => {
    write(bytes)

    await finish(stored({ [field]: undefined }))

    expect(files()).toEqual(pieces)
  })
})

describe('storing a recording', () => {
  /** Above 16 MiB a file goes in parts of 8 MiB. */
  const largeFile = () => aWavFile(8_700_000)
  const place = { domain: 'a.example.com', uuid: randomUUID(), id: 'recording' }

  /** Stores the file through an object store that a test may change. */
  async function storeWith(
    change: (
      files: MemoryPorts['recordingFiles'],
      world: { readonly recordings: MemoryPorts['recordings']; readonly clock: MovableClock },
      expected: ExpectedRecording,
    ) => Partial<FileStore>,
  ) {
    const clock = movableClock()
    const ports = memoryPorts({ clock, random: systemRandomness })
    const expected = aRecording(place)
    await ports.recordings.expect(expected)
    const recordingFiles = {
      ...ports.recordingFiles,
      ...change(ports.recordingFiles, { recordings: ports.recordings, clock }, expected),
    }
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

  test('a recording whose file is written during a whole upload is not stored', async () => {
    write(aWavFile())

    const { problem, state } = await storeWith((files) => ({
      put: async (...given) => {
        await files.put(...given)
        rewrite(aWavFile())
      },
    }))

    expect([problem, state, files()]).toEqual(['the file was written while it was read', 'expected', pieces])
  })

  test('a recording whose file grows during an upload in parts is not stored', async () => {
    write(largeFile())

    const { problem, state } = await storeWith((files) => ({
      putPart: async (...given) => {
        const part = await files.putPart(...given)
        write(Buffer.concat([largeFile(), Buffer.from('more')]))
        return part
      },
    }))

    expect([problem, state, files()]).toEqual(['the file was written while it was read', 'expected', pieces])
  })

  test.each([
    ['is shorter than its file', { size: 9, contentType: 'audio/wav', state: 'ready' } as const],
    ['is missing', undefined],
  ])('a recording is not stored, and its file is kept, if its object %s', async (_title, head) => {
    write(aWavFile())

    const { problem, state } = await storeWith(() => ({ head: async () => head }))

    expect([problem, state]).toEqual(['the object is not as long as its file', 'expected'])
    expect(disk.files.get(path)?.size).toBe(aWavFile().length)
  })

  test('an upload whose recording is claimed by another process after its last part is not completed', async () => {
    write(largeFile())
    const completed: string[] = []

    const { state } = await storeWith((files, { recordings, clock }, expected) => ({
      putPart: async (upload, number, body) => {
        const part = await files.putPart(upload, number, body)
        const isLast = body.size < 8 * 1024 * 1024
        if (isLast) {
          clock.move(claimMs + 1)
          await recordings.claim(expected, 'connector-2', { now: clock.now(), until: clock.now() + claimMs })
        }
        return part
      },
      completeUpload: async (upload, parts) => {
        completed.push(upload.uploadId)
        return files.completeUpload(upload, parts)
      },
    }))

    expect([completed, state, files()]).toEqual([[], 'expected', pieces])
  })

  test('a part that an earlier attempt uploaded is uploaded again if its bytes have changed', async () => {
    const bytes = largeFile()
    write(bytes)
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
