import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import {
  type OfferedFile,
  type UploadState,
  partBytes,
  uploadClaimMs,
  uploadRecording,
} from '../../../core/recordings/upload-recording.ts'
import type { Recording } from '../../../core/recordings/recording.ts'
import { checkAllInvariants } from '../../support/invariants/invariants.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { type Moment, dying } from '../../support/processes/dying.ts'
import { aFileBody, manyBytes } from '../../support/processes/file-bodies.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aRecording } from '../../support/records/records.ts'

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const bytes = manyBytes(2 * partBytes + 5)
const pieces = [bytes.subarray(0, partBytes), bytes.subarray(partBytes, 2 * partBytes), bytes.subarray(2 * partBytes)]
const uuid = '0b8a1f7e-1111-4222-8333-9c1d2e3f4a5b'
const file: OfferedFile = {
  domain: aRecording().domain,
  uuid,
  name: `${uuid}.wav`,
  size: bytes.length,
  sha256: sumOf(bytes),
  parts: pieces.map(sumOf),
}

/** The calls of the first offer, after which the parts are put, and those of the second. */
const steps = [
  'recordings.list',
  'recordings.claim',
  'recordingFiles.beginUpload',
  'recordings.renew',
  ...pieces.map(() => 'recordingFiles.signPart'),
  'recordings.list',
  'recordings.claim',
  'recordingFiles.listParts',
  'recordingFiles.completeUpload',
  'recordingFiles.head',
  'recordings.markStored',
  'domains.read',
  'events.publish',
  'cdrQueue.send',
  'recordings.read',
]

interface Harness {
  readonly ports: MemoryPorts
  readonly time: ManualTime
}

/** The tenant that no fault concerns: its recording is sent while the other's function is killed. */
const otherDomain = 'b.example.com'
const otherUuid = '1b8a1f7e-1111-4222-8333-9c1d2e3f4a5b'
const otherFile: OfferedFile = { ...file, domain: otherDomain, uuid: otherUuid, name: `${otherUuid}.wav` }

async function aHarness(): Promise<Harness> {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const now = time.clock.now()
  for (const { domain, uuid, name } of [file, otherFile]) {
    await ports.domains.create(aDomain({ name: domain, createdAt: 0 }))
    await ports.recordings.expect(aRecording({ domain, uuid, name, startedAt: now - 9_000, endedAt: now - 1_000 }))
  }
  return { ports, time }
}

/** Makes one pass of the script: it offers the file, puts what is missing, and offers it again. */
async function sendOnce({ ports, time }: Harness, used: MemoryPorts, sent = file): Promise<string> {
  const offer = () => uploadRecording({ ...used, clock: time.clock, graceMs: 120_000 }, sent)
  const first = await offer()
  if (first.kind !== 'upload') return first.kind
  await put(ports, sent, first)
  return (await offer()).kind
}

async function recordingOf(ports: MemoryPorts, sent: OfferedFile): Promise<Recording | undefined> {
  const [recording] = await ports.recordings.list(sent.domain, sent.uuid)
  return recording
}

function isWhole(ports: MemoryPorts, key = ''): boolean {
  return ports.recordingFiles.files.get(key)?.bytes.equals(bytes) === true
}

/** The links go past the platform, straight into the object store. */
async function put(ports: MemoryPorts, sent: OfferedFile, state: UploadState): Promise<void> {
  const recording = await recordingOf(ports, sent)
  const upload = { key: recording?.key ?? '', uploadId: recording?.claim?.uploadId ?? '' }
  for (const { number } of state.kind === 'upload' ? state.parts : []) {
    await ports.recordingFiles.putPart(upload, number, aFileBody(pieces[number - 1] ?? Buffer.of()))
  }
}

test('sending a recording takes exactly the steps at which these tests kill the function', async () => {
  const harness = await aHarness()
  const { ports, names } = dying(harness.ports)

  expect(await sendOnce(harness, ports)).toBe('stored')

  expect(names).toEqual(steps)
})

describe('a function that is killed while it takes a recording', () => {
  const moments: { readonly number: number; readonly step: string; readonly side: Moment['side'] }[] = steps.flatMap(
    (step, index) => [
      { number: index + 1, step, side: 'before' as const },
      { number: index + 1, step, side: 'after' as const },
    ],
  )
  test.each(moments)(
    'F30 a killed function leaves work that the script’s next pass finishes: $side step $number, $step',
    async ({ number, side }) => {
      const harness = await aHarness()
      const { ports } = dying(harness.ports, { call: number, side })
      const other = sendOnce(harness, harness.ports, otherFile)
      // A death while the hold is read is the answer `unlocked`, which is offered again as well.
      const first = await sendOnce(harness, ports).catch((problem: unknown) => String(problem))
      expect(first).toMatch(/was killed|unlocked/)
      await other
      const before = await recordingOf(harness.ports, otherFile)

      let passes = 0
      for (let state = ''; state !== 'stored' && passes < 3; passes += 1) {
        state = await sendOnce(harness, harness.ports)
        await harness.time.advance(uploadClaimMs)
      }

      const recording = await recordingOf(harness.ports, file)
      const published = harness.ports.events.published.filter(({ domain }) => domain === file.domain)
      expect(recording).toMatchObject({ state: 'stored', size: bytes.length, sha256: file.sha256 })
      checkAllInvariants({
        acknowledged: [{ what: 'the object', isFound: isWhole(harness.ports, recording?.key) }],
        events: {
          wanted: [{ id: published[0]?.id ?? '', publishedAs: published.map(({ id }) => id) }],
          recordedAsLost: 0,
        },
        commands: { notHere: 'an upload orders no engine' },
        others: { before, after: await recordingOf(harness.ports, otherFile) },
        secrets: {
          values: [bytes.toString('latin1', 0, 64)],
          seen: [...harness.ports.events.published, recording ?? {}],
        },
        bounds: [{ of: 'passes of the script', value: passes, limit: 2 }],
        backAfterMs: 0,
      })
    },
  )
})
