import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileRefused } from '../../connector/recordings/mapped-path.ts'
import { type RecordingDisk, recordingDisk } from '../../connector/recordings/recording-disk.ts'
import { memoryRecordingDisk } from '../support/connector/memory-recording-disk.ts'
import { movableClock } from '../support/processes/movable-clock.ts'

/** A disk, and how an engine writes to it. */
interface Subject {
  readonly disk: RecordingDisk
  write(path: string, text: string): Promise<void>
  link(path: string, target: string): Promise<void>
  close(): Promise<void>
}

const kinds: Record<string, () => Promise<Subject>> = {
  'on a real folder': async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recording-disk-'))
    return {
      disk: recordingDisk(folder),
      write: async (path, text) => {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      },
      link: (path, target) => symlink(join(folder, target), join(folder, path)),
      close: () => rm(folder, { recursive: true, force: true }),
    }
  },
  'in memory': async () => {
    const disk = memoryRecordingDisk(movableClock())
    return {
      disk,
      write: async (path, text) => disk.write(path, Buffer.from(text)),
      link: async (path) => disk.link(path),
      close: async () => {},
    }
  },
}

describe.each(Object.keys(kinds))('a disk of recordings %s', (kind) => {
  let subject: Subject
  beforeEach(async () => {
    const open = kinds[kind]
    if (open === undefined) throw new Error('no such kind of disk')
    subject = await open()
  })
  afterEach(() => subject.close())

  it('the disk of recordings reads a file in a folder by parts, and fewer bytes only at its end', async () => {
    await subject.write('2026/call.wav', 'abcdef')

    const file = await subject.disk.open(['2026', 'call.wav'])

    expect(file?.size).toBe(6)
    expect(String(await file?.read(1, 3))).toBe('bcd')
    expect(String(await file?.read(4, 9))).toBe('ef')
    expect(await file?.look()).toEqual(await subject.disk.look(['2026', 'call.wav']))
    await file?.close()
  })

  it('the disk of recordings finds nothing without a file, and removing it again changes nothing', async () => {
    await subject.write('call.wav', 'abc')

    await subject.disk.remove(['call.wav'])
    await subject.disk.remove(['call.wav'])

    expect(await subject.disk.look(['call.wav'])).toBeUndefined()
    expect(await subject.disk.open(['call.wav'])).toBeUndefined()
    expect(await subject.disk.open(['none', 'call.wav'])).toBeUndefined()
  })

  it('the disk of recordings continues to read an open file that was removed', async () => {
    await subject.write('call.wav', 'abc')
    const file = await subject.disk.open(['call.wav'])

    await subject.disk.remove(['call.wav'])

    expect(String(await file?.read(0, 3))).toBe('abc')
    await file?.close()
  })

  it('the disk of recordings refuses links, targets of links, and folders', async () => {
    await subject.write('real/call.wav', 'abc')
    await subject.link('link.wav', 'real/call.wav')
    await subject.link('linked', 'real')

    for (const pieces of [['link.wav'], ['linked', 'call.wav'], ['real']]) {
      await expect(subject.disk.open(pieces), pieces.join('/')).rejects.toThrow(FileRefused)
    }
  })

  it('the disk of recordings keeps notes by name until they are removed', async () => {
    await subject.disk.writeNote('one', '{"a":1}')
    await subject.disk.writeNote('two', '{}')
    await subject.disk.writeNote('one', '{"a":2}')
    await subject.disk.removeNote('two')
    await subject.disk.removeNote('two')

    expect(await subject.disk.listNotes()).toEqual(['one'])
    expect(await subject.disk.readNote('one')).toBe('{"a":2}')
    expect(await subject.disk.readNote('two')).toBeUndefined()
  })

  it('the disk of recordings shows no note before the first is written', async () => {
    expect(await subject.disk.listNotes()).toEqual([])
  })
})
