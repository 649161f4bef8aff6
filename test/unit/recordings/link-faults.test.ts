import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { GetObjectCommand, PutObjectCommand, RestoreObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { s3Client } from '../../../adapters/aws/s3-client.ts'
import { bucketName } from '../../../adapters/s3/client.ts'
import { s3RecordingFiles } from '../../../adapters/s3/s3-file-store.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { readStatements } from '../../../packages/laptop/assembly/read-roles.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { aFileBody } from '../../support/processes/file-bodies.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { opened } from '../../support/processes/opened.ts'
import { openRecordingHarness } from '../../support/platform/recordings-harness.ts'
import { aRecording, aStoredObject } from '../../support/records/records.ts'

const harness = opened(openRecordingHarness)
const context = () => ({ env: harness().server.env, clock: systemClock, random: systemRandomness })
const forms = ['', 'redirect=false']

async function linkTo(uuid: string): Promise<string> {
  return (await harness().ask(uuid)).headers['Location'] ?? ''
}

/** The status of an answer of the object store and its own word. */
async function answerOf(response: Response): Promise<[number, string | undefined]> {
  return [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]]
}

describe('F70 an object that cannot be read', () => {
  it.each(forms)('a recording whose object is missing is not found (%s)', async (query) => {
    const recording = await harness().recorded()
    await harness().api.ports.recordingFiles.remove(recording.key)

    expect(await harness().ask(recording.uuid, { query })).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it.each(forms)(
    'a recording in an archive is reported as archived, and then as being restored (%s)',
    async (query) => {
      const recording = await harness().recorded()
      const object = { Bucket: bucketName(context(), 'recordings'), Key: recording.key }
      const archive = { ContentType: 'audio/wav', StorageClass: 'GLACIER', Body: 'sound' } as const
      await s3Client(context()).send(new PutObjectCommand({ ...object, ...archive }))

      const archived = await harness().ask(recording.uuid, { query })
      await s3Client(context()).send(new RestoreObjectCommand({ ...object, RestoreRequest: { Days: 1 } }))
      const restoring = await harness().ask(recording.uuid, { query })

      expect(archived).toMatchObject({
        status: 409,
        body: { code: 'conflict', info: expect.stringContaining('archived') },
      })
      expect(restoring).toMatchObject({ status: 409, body: { info: expect.stringContaining('being restored') } })
    },
  )

  it.each(forms)(
    'a recording is not found while its object is being written, and found when that is complete (%s)',
    async (query) => {
      const recording = aRecording()
      const { recordings, recordingFiles } = harness().api.ports
      await recordings.expect(recording)
      await recordings.claim(recording, 'me', { now: 0, until: 1 })
      const upload = await recordingFiles.beginUpload(recording.key, 'audio/wav')
      const part = await recordingFiles.putPart(upload, 1, aFileBody('sound'))

      expect((await harness().ask(recording.uuid, { query })).status).toBe(404)
      // As if the record were a step ahead of the object.
      await recordings.markStored(recording, 'me', aStoredObject())
      expect((await harness().ask(recording.uuid, { query })).status).toBe(404)
      await recordingFiles.completeUpload(upload, [part])
      expect((await harness().ask(recording.uuid, { query })).status).toBeLessThan(400)
    },
  )

  it('a recording that cannot be read is answered like an outage of the store', async () => {
    const { uuid } = await harness().recorded()
    const files = s3RecordingFiles({
      ...context(),
      env: { ...harness().server.env, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
    })
    const { api, admin } = harness()
    const { handler } = await import('../../../functions/recordings/read-recording.ts')
    const away = api.with({ recordingFiles: { ...api.ports.recordingFiles, ...files } })

    const answer = await away.call(handler, { params: { uuid }, headers: admin })

    expect(answer).toMatchObject({ status: 503, body: { code: 'store_unavailable' } })
    expect(answer.headers['Retry-After']).toBe('2')
  })
})

/** Changes of a good link, each with the store's answer. */
const misuses: Readonly<Record<string, (link: URL, uuid: string) => Promise<[number, string | undefined]>>> = {
  'another key in the path': async (link) => {
    const other = await harness().recorded()
    return answerOf(await fetch(`${link.origin}/physical-BUCKET_RECORDINGS/${other.key}${link.search}`))
  },
  'one signature character changed': async (link) => {
    const signature = link.searchParams.get('X-Amz-Signature') ?? ''
    link.searchParams.set(
      'X-Amz-Signature',
      signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    )
    return answerOf(await fetch(link))
  },
  'expiry raised': async (link) => {
    link.searchParams.set('X-Amz-Expires', '86400')
    return answerOf(await fetch(link))
  },
  'used after the recording was deleted': async (link, uuid) => {
    const [recording] = await harness().api.ports.recordings.list('a.example.com', uuid)
    await harness().api.ports.recordingFiles.remove(recording?.key ?? '')
    return answerOf(await fetch(link))
  },
  'response-content-type added': async (link) => {
    link.searchParams.append('response-content-type', 'text/html')
    return answerOf(await fetch(link))
  },
  'host changed to another region': async (link) => {
    const { host } = new URL('https://recordings.s3.eu-west-1.amazonaws.com')
    const [status, body] = await new Promise<[number, string]>((resolve, reject) => {
      const sent = request(link, { headers: { host } }, (response) => {
        text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject)
      })
      sent.on('error', reject).end()
    })
    return [status, /<Code>(\w+)<\/Code>/.exec(body)?.[1]]
  },
}

const answers: Readonly<Record<string, [number, string]>> = {
  'another key in the path': [403, 'SignatureDoesNotMatch'],
  'one signature character changed': [403, 'SignatureDoesNotMatch'],
  'expiry raised': [403, 'SignatureDoesNotMatch'],
  'used after the recording was deleted': [404, 'NoSuchKey'],
  'response-content-type added': [403, 'SignatureDoesNotMatch'],
  'host changed to another region': [403, 'SignatureDoesNotMatch'],
}

describe('F71 a link that leaked', () => {
  const elsewhere = new Set(['Range of 1,000 parts', 'link of a role that was withdrawn'])
  const samples = badInputs('recordings')('the signed link').filter((sample) => !elsewhere.has(sample))

  it.each(samples)('a leaked link gives nothing: %s', async (sample) => {
    const { uuid } = await harness().recorded()
    const link = await linkTo(uuid)
    expect((await fetch(link)).status).toBe(200)

    expect(await misuses[sample]?.(new URL(link), uuid)).toEqual(answers[sample])
  })

  it('a leaked link returns at most the whole recording to a client that requests a thousand parts of it', async () => {
    const { uuid } = await harness().recorded({ content: 'x'.repeat(5_000) })
    const range = `bytes=${Array.from({ length: 1_000 }, (_, at) => `${at * 2}-${at * 2}`).join(',')}`

    const response = await fetch(await linkTo(uuid), { headers: { range } })

    expect([response.status, (await response.text()).length]).toEqual([200, 5_000])
  })

  it('a leaked link no longer works once the role that signed it has lost its rights', async () => {
    const recording = await harness().recorded()
    const [statement] = readStatements({ Statement: { Effect: 'Allow', Action: 's3:GetObject', Resource: '*' } })
    const env = harness().server.envOf(...(statement === undefined ? [] : [statement]))
    const link = { key: recording.key, contentType: 'audio/wav', disposition: 'inline', seconds: 300 }
    const { url } = await s3RecordingFiles({ ...context(), env }).sign(link)
    expect((await fetch(url)).status).toBe(200)

    harness().server.withdraw(env)

    expect(await answerOf(await fetch(url))).toEqual([403, 'AccessDenied'])
  })

  it('a leaked link no longer works after five minutes', async () => {
    const recording = await harness().recorded()
    const signed = async (agoMs: number) => {
      const files = s3RecordingFiles({ ...context(), clock: movableClock(Date.now() - agoMs) })
      const link = { key: recording.key, contentType: 'audio/wav', disposition: 'inline', seconds: 300 }
      return answerOf(await fetch((await files.sign(link)).url))
    }

    expect(await signed(290_000)).toEqual([200, undefined])
    expect(await signed(302_000)).toEqual([403, 'AccessDenied'])
  })

  it('a link cannot extend its own life beyond five minutes', async () => {
    const { uuid } = await harness().recorded()

    expect(new URL(await linkTo(uuid)).searchParams.get('X-Amz-Expires')).toBe('300')
  })

  it.each(['PUT', 'DELETE', 'POST', 'HEAD'])('a leaked link does nothing by %s', async (method) => {
    const { uuid } = await harness().recorded()
    const link = await linkTo(uuid)

    const refused = await fetch(link, { method, ...(method === 'PUT' ? { body: 'forged' } : {}) })

    expect(refused.status).toBe(403)
    expect(await (await fetch(link)).text()).toBe('sound')
  })
})

describe('the object store that a link leads to', () => {
  it('the object store keeps the parts of an upload after a restart', async () => {
    const { recordingFiles } = harness().api.ports
    const key = `a.example.com/${randomUUID()}`
    const upload = await recordingFiles.beginUpload(key, 'audio/wav')
    const part = await recordingFiles.putPart(upload, 1, aFileBody('sound'))

    harness().server.restart()

    expect(await recordingFiles.listParts(upload)).toEqual([part])
    expect(await recordingFiles.completeUpload(upload, [part])).toBe(true)
    expect(await recordingFiles.head(key)).toMatchObject({ size: 5 })
  })

  it('the object store does not reveal a missing object to a caller without the right to list', async () => {
    const [statement] = readStatements({ Statement: { Effect: 'Allow', Action: 's3:GetObject', Resource: '*' } })
    const env = harness().server.envOf(...(statement === undefined ? [] : [statement]))

    const command = new GetObjectCommand({ Bucket: bucketName({ env }, 'recordings'), Key: 'none' })

    await expect(s3Client({ env }).send(command)).rejects.toMatchObject({ name: 'AccessDenied' })
  })
})
