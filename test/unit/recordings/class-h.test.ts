import { describe, expect, it } from 'vitest'
import { findPath } from '../../../functions/endpoint/canonical-path.ts'
import { handler as readRecording } from '../../../functions/recordings/read-recording.ts'
import { handler as deleteRecordings } from '../../../functions/recordings/delete-recordings.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { dispositionOf } from '../../../core/recordings/download-name.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { opened } from '../../support/processes/opened.ts'
import { openRecordingHarness } from '../../support/platform/recordings-harness.ts'

const harness = opened(openRecordingHarness)
const samples = badInputs('recordings')

/** Whatever an engine may take for a channel's id. */
const callId = /^(?!\.{1,2}$)[A-Za-z0-9._~@:+-]{1,128}$/

describe('a call that no engine can have', () => {
  it.each([...samples('uuid'), ' 6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'].filter((each) => !callId.test(each)))(
    '%j is refused before anything is looked for',
    async (uuid) => {
      const { api, admin, server } = harness()
      const before = server.judgements.length

      const request = { params: { uuid }, headers: admin }
      for (const answer of [await api.call(readRecording, request), await api.call(deleteRecordings, request)]) {
        expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
      }
      expect(server.judgements).toHaveLength(before)
    },
  )
})

const header =
  /^(?:inline|attachment; filename="[A-Za-z0-9._-]{1,128}"; filename\*=UTF-8''(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+)$/

describe('a name for the download', () => {
  const names = samples('file_name').filter((name) => name !== '(absent)')

  it.each(names)('the download name %j ends no header and leads nowhere', async (sample) => {
    const name = sample === '(empty)' ? '' : sample
    const { uuid } = await harness().recorded()

    const answer = await harness().ask(uuid, { query: `file_name=${encodeURIComponent(name)}` })

    const followed = await fetch(answer.headers['Location'] ?? '')
    expect([answer.status, followed.status, followed.headers.get('content-type')]).toEqual([302, 200, 'audio/wav'])
    expect(followed.headers.get('content-disposition')).toMatch(header)
    expect(followed.headers.get('content-disposition')).toBe(dispositionOf(name))
    expect(followed.headers.get('x-evil')).toBeNull()
  })

  it('a download has no file name by default, and further parameters change no header', async () => {
    const { uuid } = await harness().recorded()

    for (const query of ['', 'file_name=', 'file_name%5B%5D=a']) {
      const followed = await fetch((await harness().ask(uuid, { query })).headers['Location'] ?? '')
      expect(followed.headers.get('content-disposition')).toBe('inline')
    }
    const query = 'file_name=a.wav&response-content-type=text/html'
    const followed = await fetch((await harness().ask(uuid, { query })).headers['Location'] ?? '')
    expect(followed.headers.get('content-type')).toBe('audio/wav')
  })

  it("forbidden characters of a download's file name are replaced, and no name is refused", async () => {
    const { uuid } = await harness().recorded()
    const downloadName = async (encoded: string) => {
      const answer = await harness().ask(uuid, { query: `file_name=${encoded}` })
      const followed = await fetch(answer.headers['Location'] ?? '')
      return [
        answer.status,
        followed.status,
        followed.headers.get('content-disposition')?.match(/filename="(.*?)"/)?.[1],
      ]
    }

    expect(await downloadName('a%0D%0AX-Evil:%201.wav')).toEqual([302, 200, 'a__X-Evil__1.wav'])
    expect(await downloadName('%ff%fe.wav')).toEqual([302, 200, '__.wav'])
    expect(await downloadName('50%zz%00.wav')).toEqual([302, 200, '50_zz_.wav'])
    expect(await downloadName('a'.repeat(1_025))).toEqual([302, 200, 'a'.repeat(128)])
  })

  it('a download is refused if its file name is given twice', async () => {
    const { uuid } = await harness().recorded()

    expect((await harness().ask(uuid, { query: 'file_name=a&file_name=b' })).status).toBe(400)
  })

  it.each([
    [undefined, 'inline'],
    ['', 'inline'],
    ['a b"c.wav', `attachment; filename="a_b_c.wav"; filename*=UTF-8''a%20b%22c.wav`],
    ['../../etc/passwd', `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`],
    ['..', `attachment; filename="__"; filename*=UTF-8''__`],
    ['a\u202egnp.exe', `attachment; filename="a_gnp.exe"; filename*=UTF-8''a_gnp.exe`],
    ['\u200b', `attachment; filename="_"; filename*=UTF-8''_`],
    ['山.wav', `attachment; filename="_.wav"; filename*=UTF-8''%E5%B1%B1.wav`],
    [`${'a'.repeat(127)}\u{1f600}`, `attachment; filename="${'a'.repeat(127)}"; filename*=UTF-8''${'a'.repeat(127)}`],
    ['x'.repeat(300), `attachment; filename="${'x'.repeat(128)}"; filename*=UTF-8''${'x'.repeat(128)}`],
  ])('the download name %j becomes %s', (name, expected) => {
    expect(dispositionOf(name)).toBe(expected)
  })
})

describe('the old path of recordings', () => {
  it.each([
    ['/api/v2/files/u', '/cdr/api/v2/files/u'],
    ['/api/v2/files/u/', '/cdr/api/v2/files/u'],
    ['/cdr/api/v2/files/u/', '/cdr/api/v2/files/u'],
    ['/api/v2/files/u/hold', '/cdr/api/v2/files/u/hold'],
    ['/api/v2/files/a b', '/cdr/api/v2/files/a%20b'],
  ])('the old path %s leads to %s', (path, canonical) => {
    expect(findPath(path, routes)).toMatchObject({ canonical, isCanonical: false })
  })

  it('the old path of recordings does not lead to other paths below /engine, nor out of its folder', () => {
    expect(findPath('/engine/cdr/api/v2/files/u', routes)).toBeUndefined()
    expect(findPath('/api/v2/files/u/other', routes)).toBeUndefined()
    expect(findPath('/api/v2/files/', routes)).toBeUndefined()
  })
})
