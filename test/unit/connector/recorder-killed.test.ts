import { afterEach, describe, expect, test } from 'vitest'
import type { MemoryPorts } from '../../../adapters/memory/memory-ports.ts'
import type { RecorderParts } from '../../../connector/recordings/recorder.ts'
import { type RecordingDisk, recordingDisk } from '../../../connector/recordings/recording-disk.ts'
import { recordingNews } from '../../../core/recordings/recording-news.ts'
import { type DyingPorts, type Moment, dying } from '../../support/dying.ts'
import {
  type RecorderLab,
  aRecordedCall,
  aWavFile,
  engineFolder,
  recordedDomain,
  recordingEngine,
  recorderLab,
} from '../../support/recorder-lab.ts'

let lab: RecorderLab | undefined
afterEach(() => lab?.close())

/** What a connector does for a recording that begins, and then for its end, call by call. */
const beginning = ['disk.listNotes', 'disk.writeNote', 'recordings.list', 'recordings.expect']
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
function mortal(world: RecorderLab, moment?: Moment): { dying: DyingPorts; parts: Partial<RecorderParts> } {
  const all = { ...world.ports, disk: recordingDisk(world.folder) }
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

/** Whatever happened, there is one of everything, and nothing is left over. */
async function expectOne(world: RecorderLab, bytes: Buffer) {
  const recordings = await world.recordings()
  expect(recordings).toMatchObject([{ state: 'stored', size: bytes.length }])
  const objects = [...world.ports.recordingFiles.files]
  expect(objects.map(([key]) => key)).toEqual([recordings[0]?.key])
  expect(objects[0]?.[1].bytes.equals(bytes)).toBe(true)
  const told = world.ports.events.published.map(({ id, name }) => `${name} ${id}`)
  expect(new Set(told).size).toBe(1)
  expect(told[0]).toContain('recording_stored')
  expect(await world.files()).toEqual([])
}

const isDone = (world: RecorderLab) => async () =>
  (await world.recordings()).some(({ state }) => state === 'stored') &&
  (await world.notes()).length === 0 &&
  (await world.files()).length === 0

describe.each(sizes)('of $title', ({ samples, steps, killedAfter }) => {
  const bytes = aWavFile(samples)

  test('the steps are these', async () => {
    lab = await recorderLab()
    const { dying: alive, parts } = mortal(lab)
    const call = aRecordedCall(lab.time)
    await lab.write(call.path, bytes)
    const recorder = lab.connector(parts)

    recorder.hear(call.start(), recordedDomain, recordingEngine)
    await lab.until(() => alive.names.length === beginning.length, 0)
    recorder.hear(call.stop(), recordedDomain, recordingEngine)
    await lab.until(isDone(lab), 0)

    expect(alive.names).toEqual([...beginning, ...steps])
  })

  // What is killed before a step is what was killed after the one before it. An opened file is nothing that stays.
  const after = steps.map((step, index) => ({ step, number: index + 1, side: 'after' as const }))
  const moments = [
    { step: steps[0], number: 1, side: 'before' as const },
    ...after.filter(({ step }) => killedAfter.includes(step) && step !== 'disk.open'),
  ]
  test.each(moments)(
    'F30 a connector that is killed $side step $number, $step, leaves what its next start finishes',
    async ({ number, side }) => {
      const world = await recorderLab()
      lab = world
      const { dying: killed, parts } = mortal(world, { call: beginning.length + number, side })
      const call = aRecordedCall(world.time)
      await world.write(call.path, bytes)
      const first = world.connector(parts)
      first.hear(call.start(), recordedDomain, recordingEngine)
      await world.until(() => killed.names.length === beginning.length, 0)
      first.hear(call.stop(), recordedDomain, recordingEngine)
      await world.until(() => killed.names.length === beginning.length + number, 0)

      world.connector()
      await world.until(isDone(world))

      await expectOne(world, bytes)
    },
  )
})

describe('two connectors that hear every event twice', () => {
  const bytes = aWavFile()
  const moments = stepsOfSmall
    .map((step, index) => ({ step, number: index + 1 }))
    .filter(({ step }) => step !== 'disk.open')
  test.each(moments)(
    'F13 make one of everything, also when one is killed at step $number, $step',
    async ({ number }) => {
      const world = await recorderLab()
      lab = world
      const { parts } = mortal(world, { call: beginning.length + number, side: 'after' })
      const call = aRecordedCall(world.time)
      await world.write(call.path, bytes)
      const both = [world.connector(parts), world.connector()]

      for (const event of [call.start(), call.start(), call.stop(), call.stop(), call.end(), call.end()]) {
        for (const one of both) one.hear(event, recordedDomain, recordingEngine)
      }
      await world.until(isDone(world))

      await expectOne(world, bytes)
    },
  )
})
