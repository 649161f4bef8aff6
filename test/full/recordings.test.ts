import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { clientOf } from '../support/platform/checked-client.ts'
import { manyBytes } from '../support/processes/file-bodies.ts'
import { opened } from '../support/processes/opened.ts'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { contextOf } from '../support/platform/platform-stores.ts'
import { record } from '../support/platform/recordings-harness.ts'

const domain = 'recordings.example.com'
/**
 * Not the address at which the stores listen: other machines reach the API's address only. With the lock, a hold is
 * allowed by the function's role and taken by the object store, else it fails.
 */
const rig = opened(() => aPlatform({ HOST: '127.0.0.2', RECORDINGS_LOCK: 'on' }))

let headers: Record<string, string>
beforeAll(async () => {
  await rig().tenant(domain)
  const body = { username: `1000@${domain}`, password: tenantPassword('1000') }
  const { key, token } = await clientOf(rig().url).call('logIn', { body })
  headers = { 'x-key': key, 'x-access-token': token }
})

/** A stored recording of a new call, as the connector would have left it. */
async function recorded(content: Buffer): Promise<string> {
  const context = contextOf(rig().platform)
  const ports = { recordings: dynamoRecordingStore(context), recordingFiles: s3RecordingFiles(context) }
  const { uuid } = await record({ ports }, { domain, uuid: randomUUID(), content, startedAt: Date.now() })
  return uuid
}

type Asked = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

const ask = (path: string, { headers: more = {}, ...init }: Asked = {}) =>
  fetch(`${rig().url}${path}`, { redirect: 'manual', ...init, headers: { ...headers, ...more } })

describe('recordings through the gateway', () => {
  const bytes = manyBytes(300_000)

  it('recordings are available through a link, which needs no credential and serves parts', async () => {
    const uuid = await recorded(bytes)

    const answer = await ask(`/cdr/api/v2/files/${uuid}?file_name=a%20call.wav`)
    const link = answer.headers.get('location') ?? ''
    const [whole, part] = [await fetch(link), await fetch(link, { headers: { range: 'bytes=100-199' } })]

    expect([answer.status, await answer.text()]).toEqual([302, ''])
    expect(new URL(link).origin).toBe(rig().url)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    expect(whole.headers.get('content-disposition')).toBe(
      `attachment; filename="a_call.wav"; filename*=UTF-8''a%20call.wav`,
    )
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))]).toEqual([206, true])
  })

  it('recordings are available as identical bytes, also under the old path', async () => {
    const uuid = await recorded(bytes)

    const moved = await ask(`/api/v2/files/${uuid}?redirect=false`)
    const answer = await ask(moved.headers.get('location') ?? '')

    expect([moved.status, moved.headers.get('location')]).toEqual([308, `/cdr/api/v2/files/${uuid}?redirect=false`])
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('recordings under legal hold cannot be deleted, and the links of deleted ones no longer work', async () => {
    const uuid = await recorded(bytes)
    const path = `/cdr/api/v2/files/${uuid}`
    const json = { headers: { accept: 'application/json' } }
    const { url } = (await (await ask(path, json)).json()) as { url: string }
    const hold = (value: boolean) =>
      ask(`${path}/hold`, {
        method: 'PUT',
        body: JSON.stringify({ hold: value }),
        headers: { 'content-type': 'application/json' },
      })

    expect((await hold(true)).status).toBe(200)
    expect((await ask(path, { method: 'DELETE' })).status).toBe(409)
    expect((await hold(false)).status).toBe(200)
    const removed = await ask(path, { method: 'DELETE' })

    expect(await removed.json()).toEqual({ status: 'OK', info: 'Removed 1 files.' })
    expect((await fetch(url)).status).toBe(404)
    expect((await ask(path)).status).toBe(404)
    expect((await ask(`${path}/hold`, { method: 'POST' })).headers.get('allow')).toContain('PUT')
  })
})
