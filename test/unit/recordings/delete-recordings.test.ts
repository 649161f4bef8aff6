import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { s3RecordingFiles } from '../../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { recordingsLock } from '../../../contracts/settings/platform.ts'
import { DomainError } from '../../../core/errors.ts'
import { handler as deleteRecordings } from '../../../functions/recordings/delete-recordings.ts'
import { handler as holdRecordings } from '../../../functions/recordings/hold-recordings.ts'
import { handler as readRecording } from '../../../functions/recordings/read-recording.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { record } from '../../support/platform/recordings-harness.ts'
import { opened } from '../../support/processes/opened.ts'
import { aRecording } from '../../support/records/records.ts'
import { startObjectServer } from '../../support/stores/object-server.ts'

const uuid = randomUUID()
const params = { uuid }

async function setUp() {
  const api = anApi()
  const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
  await record(api, { uuid, name: 'a.wav', startedAt: 1 })
  await record(api, { uuid, name: 'b.wav', startedAt: 2 })
  const states = async () => (await api.ports.recordings.list('a.example.com', uuid)).map(({ state }) => state)
  return {
    api,
    headers,
    states,
    remove: (query = '', over: Api = api) => over.call(deleteRecordings, { params, headers, query }),
    hold: (hold: unknown, query = '') => api.call(holdRecordings, { params, headers, query, body: { hold } }),
    list: () => api.call(readRecording, { params, headers, query: 'type=all' }),
  }
}

describe('a deletion', () => {
  it('deleting the recordings of a call removes records and objects, and updates its CDR', async () => {
    const { api, remove, states, list } = await setUp()

    const answer = await remove()

    expect([answer.status, answer.body]).toEqual([200, { status: 'OK', info: 'Removed 2 files.' }])
    expect(await states()).toEqual(['deleted', 'deleted'])
    expect([...api.ports.recordingFiles.files.keys()]).toEqual([])
    expect(await api.ports.recordings.listDoomed(api.clock.now() + 1, 9)).toEqual([])
    expect(api.ports.cdrQueue.queued).toMatchObject([
      { kind: 'recording', domain: 'a.example.com', uuid, leg: 'a' },
      { kind: 'recording', domain: 'a.example.com', uuid, leg: 'a' },
    ])
    expect((await list()).body.map(({ status }: { status: string }) => status)).toEqual(['deleted', 'deleted'])
  })

  it('deleting the recordings of one name removes only those', async () => {
    const { api, remove, states } = await setUp()

    expect((await remove('name=b.wav')).body.info).toBe('Removed 1 files.')
    expect(await states()).toEqual(['stored', 'deleted'])
    expect(api.ports.recordingFiles.files.size).toBe(1)
  })

  it('deleting removed recordings removes none, and deleting unknown ones is not found', async () => {
    const { api, headers, remove } = await setUp()
    await remove()

    expect((await remove()).body.info).toBe('Removed 0 files.')
    expect((await remove('name=c.wav')).status).toBe(404)
    expect((await api.call(deleteRecordings, { params: { uuid: randomUUID() }, headers })).status).toBe(404)
  })

  it('deleting removed recordings again needs no object store', async () => {
    const { api, remove } = await setUp()
    await remove()
    const gone = new DomainError('store_unavailable', 'the object store does not answer')
    const recordingFiles = { ...api.ports.recordingFiles, remove: () => Promise.reject(gone) }

    expect((await remove('', api.with({ recordingFiles }))).status).toBe(200)
  })

  it('a deletion that the object store interrupted is completed by the next one', async () => {
    const { api, remove, states } = await setUp()
    const gone = new DomainError('store_unavailable', 'the object store does not answer')
    const remaining = { ...api.ports.recordingFiles, remove: () => Promise.reject(gone) }

    expect((await remove('', api.with({ recordingFiles: remaining }))).status).toBe(503)
    expect(await states()).toEqual(['deleted', 'deleted'])
    expect(await api.ports.recordings.listDoomed(api.clock.now() + 1, 9)).toHaveLength(2)
    expect((await remove()).body.info).toBe('Removed 0 files.')
    expect(api.ports.recordingFiles.files.size).toBe(0)
    expect(await api.ports.recordings.listDoomed(api.clock.now() + 1, 9)).toEqual([])
  })

  it('an uploader learns that its recording was deleted, and the object is searched for until its claim expires', async () => {
    const { api, remove } = await setUp()
    const recording = aRecording({ uuid, id: 'late' })
    const { recordings } = api.ports
    await recordings.expect(recording)
    await recordings.claim(recording, 'uploader', { now: api.clock.now(), until: api.clock.now() + 60_000 })

    expect((await remove()).body.info).toBe('Removed 3 files.')

    expect((await recordings.listDoomed(api.clock.now() + 1, 9)).map(({ id }) => id)).toEqual(['late'])
  })
})

describe('a legal hold', () => {
  const server = opened(startObjectServer)

  it('a legal hold protects every recording of the call from deletion until it ends', async () => {
    const { api, hold, remove, states } = await setUp()

    expect((await hold(true)).body).toEqual({ status: 'OK', info: 'Held 2 files.' })
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect([await states(), api.ports.recordingFiles.files.size]).toEqual([['stored', 'stored'], 2])
    expect((await hold(false)).body.info).toBe('Released 2 files.')
    expect((await remove()).body.info).toBe('Removed 2 files.')
  })

  it('a legal hold on one recording permits the deletion of others of the call by name only', async () => {
    const { hold, remove, states } = await setUp()
    await hold(true, 'name=a.wav')

    expect((await remove()).status).toBe(409)
    expect(await states()).toEqual(['stored', 'stored'])
    expect((await remove('name=b.wav')).status).toBe(200)
    expect((await remove('name=a.wav')).status).toBe(409)
    expect(await states()).toEqual(['stored', 'deleted'])
  })

  it('a legal hold locks the objects in their store, and its end unlocks them', async () => {
    const { api, hold } = await setUp()
    const { files, held } = api.ports.recordingFiles

    await hold(true)
    expect([...held].sort()).toEqual([...files.keys()].sort())
    await hold(false)
    expect([...held]).toEqual([])
  })

  it('a hold ends, and nothing stays locked, when an operator has removed a held object from its bucket', async () => {
    const env = { ...server().env, [recordingsLock.variable]: 'on' }
    const base = anApi()
    const files = s3RecordingFiles({ env, clock: systemClock, random: systemRandomness })
    const api = base.with({ recordingFiles: { ...base.ports.recordingFiles, ...files } })
    const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
    const { key } = await record(api, { uuid })
    const setHold = (hold: boolean) => api.call(holdRecordings, { params, headers, body: { hold } })
    await setHold(true)
    await files.remove(key)
    expect(server().kept()).toHaveLength(1)

    const answer = await setHold(false)

    expect([answer.status, answer.body]).toEqual([200, { status: 'OK', info: 'Released 1 files.' }])
    expect((await api.ports.recordings.list('a.example.com', uuid)).map(({ isHeld }) => isHeld)).toEqual([false])
    expect(server().kept()).toEqual([])
  })

  it.each([
    [true, 'begins'],
    [false, 'ends'],
  ])(
    'while the object store is away, a legal hold (%s) that %s leaves the recordings held, and can be repeated',
    async (isHeld) => {
      const { api, headers, hold } = await setUp()
      const { recordings, recordingFiles } = api.ports
      if (!isHeld) await hold(true)
      const away = new DomainError('store_unavailable', 'the object store is away')
      const apart = api.with({ recordingFiles: { ...recordingFiles, hold: () => Promise.reject(away) } })

      const answer = await apart.call(holdRecordings, { params, headers, query: '', body: { hold: isHeld } })

      expect(answer.status).toBe(503)
      expect((await recordings.list('a.example.com', uuid)).map((each) => each.isHeld)).toEqual([true, true])
      expect((await hold(isHeld)).status).toBe(200)
      expect(recordingFiles.held.size).toBe(isHeld ? 2 : 0)
    },
  )

  /** Sets or ends a hold; before the first lock or the first record is written, another request does the opposite. */
  async function racing(isHeld: boolean, at: 'lock' | 'record') {
    const { api, headers, hold } = await setUp()
    if (!isHeld) await hold(true)
    const { recordings, recordingFiles } = api.ports
    let left = 1
    const first = async () => {
      left -= 1
      if (left === 0) await hold(!isHeld)
    }
    const apart = api.with({
      recordings: {
        ...recordings,
        setHold: async (...given: Parameters<typeof recordings.setHold>) => {
          if (at === 'record') await first()
          return recordings.setHold(...given)
        },
      },
      recordingFiles: {
        ...recordingFiles,
        hold: async (...given: Parameters<typeof recordingFiles.hold>) => {
          if (at === 'lock') await first()
          return recordingFiles.hold(...given)
        },
      },
    })
    await apart.call(holdRecordings, { params, headers, query: '', body: { hold: isHeld } })
    const stored = await recordings.list('a.example.com', uuid)
    const { held } = recordingFiles
    return stored.map((each) => ({ isHeld: each.isHeld, isLocked: held.has(each.key) }))
  }

  it.each([
    [true, 'lock'],
    [false, 'record'],
    [false, 'lock'],
  ] as const)(
    'a legal hold (%s) that another request changes before its %s leaves each object locked as its record says',
    async (isHeld, at) => {
      for (const { isHeld: says, isLocked } of await racing(isHeld, at)) expect(isLocked).toBe(says)
    },
  )

  it('a legal hold that ends while its recording is stored and locked leaves the object unlocked', async () => {
    const { api, headers, hold } = await setUp()
    await hold(true)
    const { recordings, recordingFiles } = api.ports
    const list = async (...given: Parameters<typeof recordings.list>) =>
      (await recordings.list(...given)).map((each) =>
        Object.assign(structuredClone(each), { state: 'expected' as const }),
      )
    const apart = api.with({ recordings: { ...recordings, list } })

    await apart.call(holdRecordings, { params, headers, query: '', body: { hold: false } })

    expect([...recordingFiles.held]).toEqual([])
  })

  it('a legal hold that begins between the check and the deletion keeps the object', async () => {
    const { api, remove, states } = await setUp()
    const { recordings } = api.ports
    const held = {
      ...recordings,
      markDeleted: async (...given: Parameters<typeof recordings.markDeleted>) => {
        await recordings.setHold(given[0], true)
        return recordings.markDeleted(...given)
      },
    }

    expect((await remove('', api.with({ recordings: held }))).status).toBe(409)
    expect([await states(), api.ports.recordingFiles.files.size]).toEqual([['stored', 'stored'], 2])
  })

  it.each([['yes'], [1], [null], [undefined]])('a legal hold is not set by %j', async (value) => {
    const { hold } = await setUp()

    expect((await hold(value)).status).toBe(400)
  })

  it('a legal hold is refused for deleted and for unknown recordings', async () => {
    const { api, headers, hold, remove } = await setUp()
    await remove()

    expect((await hold(true)).status).toBe(404)
    const other = { uuid: randomUUID() }
    expect((await api.call(holdRecordings, { params: other, headers, body: { hold: true } })).status).toBe(404)
  })
})
