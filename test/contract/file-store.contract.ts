import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type FileStore, minPartBytes } from '../../core/recordings/file-store.ts'
import { aFileBody, manyBytes } from '../support/processes/file-bodies.ts'
import { opened } from '../support/processes/opened.ts'

/** One way to keep files. */
export interface FileStoreKind {
  readonly name: string
  readonly open: () => Promise<{ readonly files: FileStore; close(): Promise<void> }>
}

/** The contract of every {@link FileStore}, for all but its links. */
export function fileStoreContract(open: FileStoreKind['open']): void {
  const store = opened(open)
  const files = () => store().files
  const aKey = () => `a.example.com/2026/01/02/03/${randomUUID()}/a (1)'+~é`
  const text = async (key: string) => Buffer.from((await files().read(key, 1_000)) ?? []).toString()

  test('a stored file is read back complete and with its media type', async () => {
    const key = aKey()

    await files().put(key, 'audio/wav', aFileBody('sound'))

    expect(await text(key)).toBe('sound')
    expect(await files().head(key)).toEqual({ size: 5, contentType: 'audio/wav', state: 'ready' })
  })

  test('a file that was never stored does not exist, and removing it succeeds', async () => {
    const key = aKey()

    await files().remove(key)

    expect(await files().head(key)).toBeUndefined()
    expect(await files().read(key, 9)).toBeUndefined()
  })

  test('an empty object can be stored and read', async () => {
    const key = aKey()

    await files().put(key, 'audio/wav', aFileBody(''))

    expect(await files().head(key)).toMatchObject({ size: 0 })
    expect(await files().read(key, 0)).toHaveLength(0)
  })

  test('storing a file again replaces it, and a removed file no longer exists', async () => {
    const key = aKey()
    await files().put(key, 'audio/wav', aFileBody('first'))

    await files().put(key, 'audio/mpeg', aFileBody('second'))
    expect([await text(key), (await files().head(key))?.contentType]).toEqual(['second', 'audio/mpeg'])
    await files().remove(key)
    expect(await files().head(key)).toBeUndefined()
  })

  test('an object is read up to the given limit and not beyond', async () => {
    const key = aKey()
    await files().put(key, 'audio/wav', aFileBody(manyBytes(200_000)))

    expect(await files().read(key, 200_000)).toEqual(manyBytes(200_000))
    expect(await files().read(key, 199_999)).toBeUndefined()
  })

  test.each([
    ['another checksum', { sha256: '0'.repeat(64) }],
    ['fewer bytes than it says', { size: 6 }],
    ['more bytes than it says', { size: 4 }],
  ])('a body with %s is refused, and nothing of it is kept', async (_, given) => {
    const key = aKey()
    const upload = await files().beginUpload(key, 'audio/wav')

    await expect(files().put(key, 'audio/wav', aFileBody('sound', given))).rejects.toMatchObject({
      code: 'bad_request',
    })
    await expect(files().putPart(upload, 1, aFileBody('sound', given))).rejects.toMatchObject({ code: 'bad_request' })

    expect(await files().head(key)).toBeUndefined()
    expect(await files().listParts(upload)).toEqual([])
  })

  test('storing a file fails with the error of its source', async () => {
    const key = aKey()
    const lost = new Error('the file is gone')
    async function* failing() {
      yield Buffer.from('so')
      throw lost
    }

    await expect(files().put(key, 'audio/wav', aFileBody('sound', { bytes: failing() }))).rejects.toBe(lost)

    expect(await files().head(key)).toBeUndefined()
  })

  test('an object that is uploaded in parts exists once it is completed, with its parts in the order of their numbers', async () => {
    const key = aKey()
    const whole = manyBytes(minPartBytes + 3)
    const upload = await files().beginUpload(key, 'video/mp4')

    const second = await files().putPart(upload, 7, aFileBody(whole.subarray(minPartBytes)))
    const first = await files().putPart(upload, 2, aFileBody(whole.subarray(0, minPartBytes)))
    expect(await files().head(key)).toBeUndefined()
    expect(await files().completeUpload(upload, [second, first])).toBe(true)

    expect(await files().head(key)).toMatchObject({ size: whole.length, contentType: 'video/mp4' })
    expect(Buffer.from((await files().read(key, whole.length)) ?? []).equals(whole)).toBe(true)
  })

  test('the uploaded parts are listed, so that an interrupted upload can continue', async () => {
    const upload = await files().beginUpload(aKey(), 'audio/wav')

    const second = await files().putPart(upload, 2, aFileBody('second'))
    await files().putPart(upload, 1, aFileBody('first'))
    const first = await files().putPart(upload, 1, aFileBody('again'))

    expect(await files().listParts(upload)).toEqual([first, second])
    expect(first).toMatchObject({ number: 1, size: 5, sha256: aFileBody('again').sha256 })
  })

  test('a completed or aborted upload no longer exists', async () => {
    const [key, dropped] = [aKey(), await files().beginUpload(aKey(), 'audio/wav')]
    const done = await files().beginUpload(key, 'audio/wav')
    const part = await files().putPart(done, 1, aFileBody('sound'))
    await files().completeUpload(done, [part])
    await files().abortUpload(dropped)

    for (const upload of [dropped, done]) {
      expect(await files().listParts(upload)).toBeUndefined()
      expect(await files().completeUpload(upload, [part])).toBe(false)
      await files().abortUpload(upload)
    }
    expect(await files().listParts({ key: done.key, uploadId: '../../etc' })).toBeUndefined()
    expect(await text(key)).toBe('sound')
  })

  test('an upload cannot be continued or completed under another key', async () => {
    const upload = await files().beginUpload(aKey(), 'audio/wav')
    const part = await files().putPart(upload, 1, aFileBody('sound'))
    const elsewhere = { ...upload, key: aKey() }

    expect(await files().completeUpload(elsewhere, [part])).toBe(false)
    expect(await files().listParts(elsewhere)).toBeUndefined()
  })

  test('an upload cannot be completed with a missing part, or with a small part that is not the last', async () => {
    const key = aKey()
    const upload = await files().beginUpload(key, 'audio/wav')
    const first = await files().putPart(upload, 1, aFileBody('small'))
    const second = await files().putPart(upload, 2, aFileBody('sound'))

    expect(await files().completeUpload(upload, [{ ...first, number: 3 }])).toBe(false)
    expect(await files().completeUpload(upload, [{ ...first, etag: '"other"' }])).toBe(false)
    await expect(files().completeUpload(upload, [first, second])).rejects.toMatchObject({ code: 'bad_request' })
    expect(await files().head(key)).toBeUndefined()
  })
}
