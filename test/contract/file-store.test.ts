import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { readStatements } from '../../packages/laptop/assembly/read-roles.ts'
import { memoryFileStore } from '../support/memory/memory-file-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { aFileBody } from '../support/processes/file-bodies.ts'
import { opened } from '../support/processes/opened.ts'
import { startObjectServer } from '../support/stores/object-server.ts'
import { type FileStoreKind, fileStoreContract } from './file-store.contract.ts'

const tools = { clock: systemClock, random: systemRandomness }

const kinds: readonly FileStoreKind[] = [
  { name: 'memory', open: async () => ({ files: memoryFileStore(tools), close: async () => {} }) },
  {
    name: 'S3, as the embedded object store speaks it',
    async open() {
      const server = await startObjectServer()
      return { files: s3RecordingFiles({ ...tools, env: server.env }), close: () => server.close() }
    },
  },
]

describe.each(kinds)('files in $name', ({ open }) => fileStoreContract(open))

describe('a legal hold in S3, as the embedded object store speaks it', () => {
  const server = opened(startObjectServer)
  const filesWith = (env: Readonly<Record<string, string>>) => s3RecordingFiles({ ...tools, env })
  const locked = () => ({ ...server().env, RECORDINGS_LOCK: 'on' })

  it('the bytes of a held object stay when it is removed, and are gone once they were not held', async () => {
    const files = filesWith(locked())
    for (const key of ['held', 'released', 'free']) await files.put(key, 'audio/wav', aFileBody('sound'))
    await files.hold('held', true)
    await files.hold('released', true)
    await files.hold('released', false)

    for (const key of ['held', 'released', 'free']) await files.remove(key)

    // No reader sees it any more; an operator of the store can bring it back.
    expect(await files.head('held')).toBeUndefined()
    expect(server().kept()).toHaveLength(1)
  })

  it('a hold that ends on an object that was removed meanwhile unlocks its bytes, which go then', async () => {
    const files = filesWith(locked())
    await files.put('removed', 'audio/wav', aFileBody('sound'))
    await files.hold('removed', true)
    const kept = server().kept().length
    await files.remove('removed')

    await files.hold('removed', false)

    expect([await files.head('removed'), server().kept().length]).toEqual([undefined, kept - 1])
  })

  it('a hold on a missing object changes nothing, and a bucket without Object Lock gets no request to hold one', async () => {
    await filesWith(locked()).hold('none', true)
    const asked = server().judgements.length

    await filesWith(server().env).hold('none', true)

    expect(server().judgements).toHaveLength(asked)
    expect(server().judgements.at(-1)?.action).toBe('s3:ListBucketVersions')
  })

  it('a process without the permission for legal holds can neither set nor end one', async () => {
    const actions = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject', 's3:ListBucketVersions']
    const statements = readStatements({
      Statement: { Effect: 'Allow', Action: actions, Resource: ['arn:aws:s3:::*', 'arn:aws:s3:::*/*'] },
    })
    const env = server().envOf(...statements)
    const files = filesWith({ ...env, RECORDINGS_LOCK: 'on' })
    await files.put('some', 'audio/wav', aFileBody('sound'))

    await expect(files.hold('some', true)).rejects.toThrow()
  })
})
