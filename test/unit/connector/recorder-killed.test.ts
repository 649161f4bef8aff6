import { afterEach, describe, expect, test } from 'vitest'
import type { MemoryPorts } from '../../support/memory/memory-ports.ts'
import type { RecorderDeps } from '../../../connector/recordings/recorder.ts'
import type { RecordingDisk } from '../../../connector/recordings/recording-disk.ts'
import { claimMs } from '../../../connector/recordings/store-recording.ts'
import { recordingNews } from '../../../core/recordings/recording-news.ts'
import { type DyingPorts, type Moment, dying } from '../../support/processes/dying.ts'
import {
  type RecorderLab,
  aRecordedCall,
  engineFolder,
  recordedDomain,
  recordedLeg,
  recorderLab,
} from '../../support/connector/recorder-lab.ts'
import { aSpokenFile, watchRecorders } from '../../support/invariants/recorder-invariants.ts'

let lab: RecorderLab | undefined
afterEach(() => lab?.close())

/** The calls of a connector for a recording that begins, and then for its end. */
const beginning = ['disk.listNotes', 'disk.writeNote', 'recordings.list', 'recordings.expect']

/** Calls for the beginnings of two recordings: of the other tenant's, too, which goes on while the connector is killed. */
const ofBeginnings = 1 + 2 * (beginning.length - 1)

const stepsOfSmall = [
  'disk.writeNote',
  'recordings.list',
  'recordings.expect',
  'recordings.read',
  'disk.open',
  'recordings.claim',
  'recordings.renew',
  'recordingFiles.put',
  'recordingFiles.head',
  'recordings.markStored',
  'domains.read',
  'events.publish',
  'cdrQueue.send',
  'disk.look',
  'disk.remove',
  'recordings.read',
  'disk.removeNote',
]
const putOfLarge = [
  'recordingFiles.beginUpload',
  'recordings.renew',
  ...Array.from({ length: 3 }, () => ['recordings.renew', 'recordingFiles.putPart']).flat(),
  'recordings.renew',
  'recordingFiles.completeUpload',
]
const stepsOfLarge = stepsOfSmall.flatMap((step) => (step === 'recordingFiles.put' ? putOfLarge : [step]))

const sizes = [
  { title: 'a small recording', samples: 4_000, steps: stepsOfSmall, killedAfter: stepsOfSmall },
  { title: 'a recording in parts', samples: 8_700_000, steps: stepsOfLarge, killedAfter: putOfLarge },
]

/** The parts of a connector whose process is killed at a moment. */
function mortal(world: RecorderLab, moment?: Moment): { dying: DyingPorts; parts: Partial<RecorderDeps> } {
  const all = { ...world.ports, disk: world.disk }
  const killed = dying(all, moment)
  const ports = killed.ports as MemoryPorts & { readonly disk: RecordingDisk }
  return {
    dying: killed,
    parts: {
      ports,
      place: { disk: ports.disk, engineFolder, keepsFiles: false },
      tell: async (event) => (await ports.events.publish([event])).length === 0,
      noteInCdr: async (recording) => {
        const news = recordingNews(recording)
        if (news !== undefined) await ports.cdrQueue.send([news])
      },
    },
  }
}

/** Checks that there is one of everything and nothing is left over; one more of each is the other tenant's. */
async function expectOne(world: RecorderLab, bytes: Buffer) {
  const recordings = await world.recordings()
  expect(recordings).toMatchObject([{ state: 'stored', size: bytes.length }])
  const { files } = world.ports.recordingFiles
  expect(files.get(recordings[0]?.key ?? '')?.bytes.equals(bytes)).toBe(true)
  expect(files.size).toBe(2)
  const published = world.ports.events.published.filter(({ domain }) => domain === recordedDomain)
  expect(published).toMatchObject([{ name: 'CUSTOM->svc::recording_stored' }])
  expect(world.files()).toEqual([])
}

const isDone =
  (world: RecorderLab, others = 0) =>
  async () =>
    (await world.recordings()).some(({ state }) => state === 'stored') &&
    world.notes().length === others &&
    world.files().length === others

describe.each(sizes)('of $title', ({ samples, steps, killedAfter }) => {
  const bytes = aSpokenFile(samples)

  test('storing a recording takes exactly the steps at which these tests kill the recorder', async () => {
    lab = await recorderLab()
    const { dying: alive, parts } = mortal(lab)
    const call = aRecordedCall(lab.time)
    lab.write(call.path, bytes)
    const recorder = lab.connector(parts)

    recorder.hear(call.start(), recordedDomain, recordedLeg)
    await lab.until(() => alive.names.length === beginning.length, 0)
    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(isDone(lab), 0)

    expect(alive.names).toEqual([...beginning, ...steps])
  })

  // A kill before a step equals a kill after the previous one. An opened file does not persist.
  const after = steps.map((step, index) => ({ step, number: index + 1, side: 'after' as const }))
  const moments = [
    { step: steps[0], number: 1, side: 'before' as const },
    ...after.filter(({ step }) => killedAfter.includes(step) && step !== 'disk.open'),
  ]
  test.each(moments)(
    'F30 a connector that is killed $side step $number, $step, leaves what its next start finishes',
    async ({ step, number, side }) => {
      const world = await recorderLab()
      lab = world
      const watch = await watchRecorders(world)
      const last = ofBeginnings + number
      const { dying: killed, parts } = mortal(world, { call: last, side })
      const call = aRecordedCall(world.time)
      world.write(call.path, bytes)
      const first = world.connector(parts)
      await watch.begin([first])
      first.hear(call.start(), recordedDomain, recordedLeg)
      await world.until(() => killed.names.length === ofBeginnings, 0)
      first.hear(call.stop(), recordedDomain, recordedLeg)
      await world.until(() => killed.names.length === last, 0)
      await watch.readNotes()

      const next = world.connector()
      const startedAt = world.time.clock.now()
      await watch.end([next])
      await world.until(isDone(world))

      await expectOne(world, bytes)
      const doneAfterMs = world.time.clock.now() - startedAt
      // No second claim is waited for. It is looked for every 15 s, and time goes by steps of 10 s, some while a file is read.
      // An upload that has just begun is unknown to all: the bucket itself ends it after seven days.
      const uploadsLeft = step === 'recordingFiles.beginUpload' ? 1 : 0
      await watch.check([next], {
        uploadsLeft,
        bounds: [
          {
            of: 'ms that a claim of the killed one holds up its recording',
            value: doneAfterMs,
            limit: 2 * claimMs,
          },
        ],
      })
    },
  )
})

describe('two connectors that hear every event twice', () => {
  const bytes = aSpokenFile(2_000)
  const moments = stepsOfSmall
    .map((step, index) => ({ step, number: index + 1 }))
    .filter(({ step }) => step !== 'disk.open')
  test.each(moments)(
    'F13 make one of everything, also when one is killed at step $number, $step',
    async ({ number }) => {
      const world = await recorderLab()
      lab = world
      const watch = await watchRecorders(world)
      const moment = { call: ofBeginnings + number, side: 'after' as const }
      const { parts } = mortal(world, moment)
      const call = aRecordedCall(world.time)
      world.write(call.path, bytes)
      const both = [world.connector(parts), world.connector()]
      await watch.begin(both)

      for (const event of [call.start(), call.start(), call.stop(), call.stop(), call.end(), call.end()]) {
        for (const one of both) one.hear(event, recordedDomain, recordedLeg)
      }
      await world.until(isDone(world, 1))
      // No process is killed any more where the other one did the rest.
      moment.call = Infinity
      await watch.end(both)
      await world.until(isDone(world))

      await expectOne(world, bytes)
      await watch.check(both.slice(1))
    },
  )
})
