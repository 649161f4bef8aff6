import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gone } from '../../support/stores/flaky.ts'
import {
  type RecorderLab,
  aRecordedCall,
  aWavFile,
  engineFolder,
  recordedDomain,
  recordedLeg,
  recordingEngine,
  recorderLab,
  wavHead,
} from '../../support/connector/recorder-lab.ts'
import { aSpokenFile, watchRecorders } from '../../support/invariants/recorder-invariants.ts'
import { aDomain } from '../../support/records/records.ts'

let lab: RecorderLab
beforeEach(async () => {
  lab = await recorderLab()
})
afterEach(() => lab.close())

const stored =
  (count = 1) =>
  async () =>
    (await lab.recordings()).filter(({ state }) => state === 'stored').length === count
const finished =
  (count = 1) =>
  async () =>
    (await stored(count)()) && lab.notes().length === 0

describe('a recording', () => {
  test('a recording is expected from its beginning, under the name of its file, with the account of its call', async () => {
    const call = aRecordedCall(lab.time)
    lab.up.add(call.uuid)
    lab.write(call.path, wavHead(0))

    lab.connector().hear(call.start(), recordedDomain, recordedLeg)
    await lab.until(async () => (await lab.recordings()).length === 1)

    expect(await lab.recordings()).toEqual([
      expect.objectContaining({
        state: 'expected',
        domain: recordedDomain,
        uuid: call.uuid,
        name: call.path,
        presenceId: `1000@${recordedDomain}`,
        engine: recordingEngine,
        path: `${engineFolder}/${call.path}`,
        startedAt: call.startedAt,
        createdTime: call.startedAt - 2_000,
        leg: 'a',
      }),
    ])
    expect(lab.ports.recordingFiles.files.size).toBe(0)
  })

  test('a stopped recording is stored with its checksum, published and shown in the CDR before its file is removed', async () => {
    const call = aRecordedCall(lab.time)
    const bytes = aWavFile()
    lab.write(call.path, bytes)
    const filesAtEvent: string[][] = []
    const inCdr: string[] = []
    const recorder = lab.connector({
      tell: async (event) => {
        filesAtEvent.push(lab.files())
        return (await lab.ports.events.publish([event])).length === 0
      },
      noteInCdr: async ({ uuid, state }) => void inCdr.push(`${uuid} ${state}`),
    })

    for (const event of [call.start(), call.stop(), call.end()]) recorder.hear(event, recordedDomain, recordedLeg)
    await lab.until(finished())

    const [recording] = await lab.recordings()
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(recording).toMatchObject({ state: 'stored', size: bytes.length, sha256, contentType: 'audio/wav' })
    expect(lab.ports.recordingFiles.files.get(recording?.key ?? '')?.bytes).toEqual(bytes)
    expect(lab.ports.events.published.map(({ name, uuid, fields }) => [name, uuid, fields['Recording-Name']])).toEqual([
      ['CUSTOM->svc::recording_stored', call.uuid, call.path],
    ])
    expect(inCdr).toEqual([`${call.uuid} stored`])
    expect(filesAtEvent).toEqual([[call.path]])
    expect(lab.files()).toEqual([])
    expect(recorder.counters()).toMatchObject({ recordingsStored: 1, recordingBytes: bytes.length, recordings: 0 })
  })

  test('the file of a recording stays in the folder if the setting says so', async () => {
    const call = aRecordedCall(lab.time)
    lab.write(call.path)
    const place = { disk: lab.disk, engineFolder, keepsFiles: true }

    lab.connector({ place }).hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(finished())

    expect(lab.files()).toEqual([call.path])
  })

  test('a recording whose stop no connector read is stored when its call ends', async () => {
    const call = aRecordedCall(lab.time)
    lab.write(call.path)
    const recorder = lab.connector()

    recorder.hear(call.start(), recordedDomain, recordedLeg)
    recorder.hear(call.end(), recordedDomain, recordedLeg)
    await lab.until(finished())

    expect(await lab.recordings()).toMatchObject([{ state: 'stored', endedAt: call.startedAt + 2_500 }])
  })

  test('a recording of which only the end of its call was read is expected, so that it is reported if it never arrives', async () => {
    const call = aRecordedCall(lab.time)

    lab.connector().hear(call.end(), recordedDomain, recordedLeg)
    await lab.until(async () => (await lab.recordings()).length === 1)

    expect(await lab.recordings()).toMatchObject([
      { state: 'expected', uuid: call.uuid, name: 'recording', startedAt: call.startedAt + 500, leg: 'a' },
    ])
  })

  test('a recording that was already reported is not expected again when its call ends', async () => {
    const call = aRecordedCall(lab.time)
    lab.write(call.path)
    const recorder = lab.connector()
    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(finished())

    recorder.hear(call.end(), recordedDomain, recordedLeg)
    await lab.time.advance(60_000)

    expect(await lab.recordings()).toHaveLength(1)
  })

  test('a recording whose end no connector read is stored when its engine no longer has the call', async () => {
    const call = aRecordedCall(lab.time)
    lab.up.add(call.uuid)
    lab.write(call.path)
    const recorder = lab.connector()
    recorder.hear(call.start(), recordedDomain, recordedLeg)
    await lab.until(async () => (await lab.recordings()).length === 1)
    await lab.time.advance(600_000)
    expect(await stored()()).toBe(false)

    lab.up.delete(call.uuid)
    await lab.until(finished())
  })

  test('F70 a recording is not touched while its file holds only its header, whatever the engine reported', async () => {
    const call = aRecordedCall(lab.time)
    lab.write(call.path, wavHead(0))
    const recorder = lab.connector()

    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(() => recorder.counters()['recordingsWaiting'] === 1)
    await lab.time.advance(120_000)
    expect(lab.ports.recordingFiles.files.size).toBe(0)

    lab.write(call.path)
    await lab.until(finished())
    expect(lab.ports.recordingFiles.files.size).toBe(1)
  })

  test('a recording whose file never comes is given up after a day, and logged', async () => {
    const call = aRecordedCall(lab.time)
    const recorder = lab.connector()

    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(() => recorder.counters()['recordingsGivenUp'] === 1, 600_000)

    expect(lab.time.clock.now() - call.startedAt).toBeGreaterThan(24 * 3_600_000)
    expect(lab.log.lines).toContainEqual(expect.objectContaining({ message: 'a recording never came' }))
    expect(lab.notes()).toEqual([])
  })
})

describe('of one call', () => {
  test('two recordings of one call are two records and two objects', async () => {
    const first = aRecordedCall(lab.time)
    const second = aRecordedCall(lab.time, { uuid: first.uuid, path: `${first.uuid}-2.wav` })
    lab.write(first.path)
    lab.write(second.path, aWavFile(3_000))
    const recorder = lab.connector()

    for (const event of [first.start(), first.stop(), second.start(), second.stop(), first.end()]) {
      recorder.hear(event, recordedDomain, recordedLeg)
    }
    await lab.until(finished(2))

    expect((await lab.recordings()).map(({ name }) => name).sort()).toEqual([first.path, second.path].sort())
    expect(lab.ports.recordingFiles.files.size).toBe(2)
  })

  test('a recording whose file another call overwrote before it was stored is refused, and the later one is stored', async () => {
    const [first, second] = [aRecordedCall(lab.time, { path: 'one.wav' }), aRecordedCall(lab.time, { path: 'one.wav' })]
    lab.write('one.wav')
    let isAway = true
    const recordingFiles = gone(lab.ports.recordingFiles, 'put', () => isAway)
    const recorder = lab.connector({ ports: { ...lab.ports, recordingFiles } })

    recorder.hear(first.stop(), recordedDomain, recordedLeg)
    // By steps that are shorter than the waits between attempts: none is under way then.
    await lab.until(() => (recorder.counters()['recordingFailures'] ?? 0) > 2, 100)
    recorder.hear(second.start(first.startedAt + 3_000), recordedDomain, recordedLeg)
    recorder.hear(second.stop(first.startedAt + 5_000), recordedDomain, recordedLeg)
    isAway = false
    await lab.until(() => recorder.counters()['recordings'] === 0)

    const states = new Map((await lab.recordings()).map(({ uuid, state }) => [uuid, state]))
    expect([states.get(first.uuid), states.get(second.uuid)]).toEqual(['expected', 'stored'])
  })

  test('a second recording of a call into the same file is a separate recording once the first has ended', async () => {
    const call = aRecordedCall(lab.time)
    lab.write(call.path)
    const recorder = lab.connector()
    for (const event of [call.start(), call.stop()]) recorder.hear(event, recordedDomain, recordedLeg)
    await lab.until(finished())

    lab.write(call.path, aWavFile(5_000))
    for (const event of [call.start(call.startedAt + 4_000), call.stop(call.startedAt + 9_000), call.end()]) {
      recorder.hear(event, recordedDomain, recordedLeg)
    }
    await lab.until(finished(2))

    expect(new Set((await lab.recordings()).map(({ size }) => size))).toEqual(new Set([4_044, 10_044]))
  })
})

describe('a recording is refused', () => {
  const refused = [
    { title: 'whose path leads out of the folder', path: '../secret.wav' },
    { title: 'whose path leads out of the folder further in', path: 'calls/../../secret.wav' },
    { title: 'whose path is hidden', path: '.callplane/x.wav' },
    { title: 'of a type that is not allowed', path: 'call.raw' },
    { title: 'without an ending', path: 'call' },
  ]
  test.each(refused)('$title', async ({ path }) => {
    const call = aRecordedCall(lab.time, { path })
    lab.write('call.raw')
    const recorder = lab.connector()

    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(() => recorder.counters()['recordingsRefused'] === 1)

    expect(lab.ports.recordingFiles.files.size).toBe(0)
    expect(await lab.recordings()).toMatchObject([{ state: 'expected' }])
    expect(lab.files()).toEqual(['call.raw'])
  })

  test('a recording is refused whose file is a link, or is reached by one', async () => {
    lab.write('real/call.wav')
    lab.disk.link('link.wav')
    lab.disk.link('linked')
    const recorder = lab.connector()

    for (const path of ['link.wav', 'linked/call.wav']) {
      recorder.hear(aRecordedCall(lab.time, { path }).stop(), recordedDomain, recordedLeg)
    }
    await lab.until(() => recorder.counters()['recordingsRefused'] === 2)

    expect(lab.ports.recordingFiles.files.size).toBe(0)
  })

  test('a recording is refused whose file is not what its name says', async () => {
    const call = aRecordedCall(lab.time, { path: 'call.mp3' })
    lab.write(call.path)
    const recorder = lab.connector()

    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(() => recorder.counters()['recordingsRefused'] === 1)

    expect(lab.ports.recordingFiles.files.size).toBe(0)
  })
})

describe('another tenant', () => {
  test('a file that a call of another tenant is recorded into is stored for neither tenant', async () => {
    const call = aRecordedCall(lab.time)
    const thief = aRecordedCall(lab.time, { path: call.path })
    await lab.ports.domains.create(aDomain({ name: 'b.example.com', createdAt: call.startedAt - 1_000 }))
    lab.up.add(call.uuid)
    lab.write(call.path)
    const recorder = lab.connector()

    recorder.hear(call.start(), recordedDomain, recordedLeg)
    recorder.hear(thief.stop(), 'b.example.com', recordedLeg)
    await lab.until(() => recorder.counters()['recordingsRefused'] === 1)
    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await lab.until(() => recorder.counters()['recordingsRefused'] === 2)

    expect(lab.ports.recordingFiles.files.size).toBe(0)
    expect(await lab.ports.recordings.page('b.example.com', 10)).toEqual([])
  })

  test("a tenant whose call overwrites another tenant's file cannot put content into the other's recording", async () => {
    const [call, later] = [aRecordedCall(lab.time), aRecordedCall(lab.time, { path: 'one.wav' })]
    const first = aRecordedCall(lab.time, { path: 'one.wav' })
    await lab.ports.domains.create(aDomain({ name: 'b.example.com', createdAt: first.startedAt - 1_000 }))
    for (const { path } of [call, first]) lab.write(path)
    let isAway = true
    const recordingFiles = gone(lab.ports.recordingFiles, 'put', () => isAway)
    const recorder = lab.connector({ ports: { ...lab.ports, recordingFiles } })

    for (const one of [call, first]) recorder.hear(one.stop(), recordedDomain, recordedLeg)
    // Twice each, by steps that are shorter than the waits between attempts: none is under way then.
    await lab.until(() => (recorder.counters()['recordingFailures'] ?? 0) > 3, 100)
    lab.write('one.wav', aWavFile(1_000))
    recorder.hear(later.stop(), 'b.example.com', recordedLeg)
    isAway = false
    await lab.until(() => recorder.counters()['recordings'] === 0)

    expect(recorder.counters()).toMatchObject({ recordingsRefused: 2, recordingsStored: 1 })
    expect((await lab.recordings()).find(({ uuid }) => uuid === first.uuid)).toMatchObject({ state: 'expected' })
    expect(lab.files()).toEqual(['one.wav'])
  })

  test('the account of another tenant is never recorded as the account of a recording', async () => {
    const call = aRecordedCall(lab.time)
    await lab.ports.domains.create(aDomain({ name: 'b.example.com', createdAt: call.startedAt - 1_000 }))
    lab.write(call.path)

    lab.connector().hear(call.stop(), 'b.example.com', recordedLeg)
    await lab.until(async () => (await lab.ports.recordings.page('b.example.com', 10)).length === 1)

    const [recording] = await lab.ports.recordings.page('b.example.com', 10)
    expect(recording?.presenceId).toBeUndefined()
    expect(await lab.recordings()).toEqual([])
  })

  test.each([
    ['is published to no domain', undefined],
    ['is not published to a new domain of that name', 3_600_000],
  ])('a recording of a deleted domain is stored, and %s', async (_who, createdAfter) => {
    const call = aRecordedCall(lab.time)
    lab.write(call.path)
    if (createdAfter !== undefined) {
      const createdAt = call.startedAt + createdAfter
      await lab.ports.domains.create(aDomain({ name: 'b.example.com', createdAt }))
    }
    const recorder = lab.connector()

    recorder.hear(call.stop(), 'b.example.com', recordedLeg)
    await lab.until(async () => recorder.counters()['recordings'] === 0 && lab.files().length === 0)

    expect(await lab.ports.recordings.page('b.example.com', 10)).toMatchObject([{ state: 'stored' }])
    expect(lab.ports.recordingFiles.files.size).toBe(1)
    expect(lab.ports.events.published).toEqual([])
  })
})

test('an unreachable event queue does not prevent storing a recording', async () => {
  const calls = Array.from({ length: 10 }, () => aRecordedCall(lab.time))
  for (const { path } of calls) lab.write(path)
  let isAway = true
  const recorder = lab.connector({
    tell: async (event) => {
      if (isAway) await new Promise<void>((resolve) => lab.time.timers.after(60_000, resolve))
      return !isAway && (await lab.ports.events.publish([event])).length === 0
    },
  })

  for (const call of calls) recorder.hear(call.stop(), recordedDomain, recordedLeg)
  await lab.until(stored(10), 0)
  expect(lab.files()).toHaveLength(10)
  isAway = false
  await lab.until(async () => lab.files().length === 0 && lab.notes().length === 0)

  expect(new Set(lab.ports.events.published.map(({ id }) => id)).size).toBe(10)
})

test("F31 a recording is stored even if the folder has no room for the recorder's notes", async () => {
  const watch = await watchRecorders(lab)
  const call = aRecordedCall(lab.time)
  lab.write(call.path, aSpokenFile(2_000))
  let isFull = true
  const disk = gone(lab.disk, 'writeNote', () => isFull)
  const recorder = lab.connector({ place: { disk, engineFolder, keepsFiles: false } })
  await watch.begin([recorder])

  recorder.hear(call.stop(), recordedDomain, recordedLeg)
  await lab.until(finished())

  const failures = recorder.counters()['recordingNoteFailures'] ?? 0
  expect(failures).toBeGreaterThan(0)
  const logged = lab.log.lines.filter(({ message }) => message === 'the folder of the recordings cannot be used')
  isFull = false
  await watch.end([recorder])
  await watch.check([recorder], {
    bounds: [
      { of: 'lines on the folder', value: logged.length, limit: 1 },
      // One for each of the two recordings and attempt.
      { of: 'notes that were tried', value: failures, limit: 2 },
    ],
  })
})

test('F31 recordings that wait are noted on disk as soon as the folder accepts notes again', async () => {
  const watch = await watchRecorders(lab)
  const call = aRecordedCall(lab.time)
  lab.write(call.path, aSpokenFile(2_000))
  let [isFull, isAway] = [true, true]
  const disk = gone(lab.disk, 'writeNote', () => isFull)
  const recordingFiles = gone(lab.ports.recordingFiles, 'put', () => isAway)
  const ports = { ...lab.ports, recordingFiles }
  const recorder = lab.connector({ ports, place: { disk, engineFolder, keepsFiles: false } })
  await watch.begin([recorder])

  recorder.hear(call.stop(), recordedDomain, recordedLeg)
  await lab.until(() => (recorder.counters()['recordingFailures'] ?? 0) > 2)
  expect(lab.notes()).toEqual([])
  isFull = false
  await lab.until(async () => lab.notes().length === 1)
  await watch.readNotes()

  isAway = false
  await watch.end([recorder])
  await lab.until(finished())
  const { recordingFailures = NaN, recordingNoteFailures = NaN } = recorder.counters()
  await watch.check([recorder], {
    bounds: [
      // A note is tried with each attempt at its recording, and once for the other tenant's beginning.
      { of: 'notes that were tried', value: recordingNoteFailures, limit: recordingFailures + 1 },
      { of: 'lines of the log', value: lab.log.lines.length, limit: 4 },
    ],
  })
})

test('a recording that its owner deletes during the upload leaves no object', async () => {
  const call = aRecordedCall(lab.time)
  lab.write(call.path)
  const files = lab.ports.recordingFiles
  const recordingFiles = {
    ...files,
    put: async (...given: Parameters<typeof files.put>) => {
      await files.put(...given)
      const [recording] = await lab.recordings()
      if (recording !== undefined) await lab.ports.recordings.markDeleted(recording, lab.time.clock.now())
    },
  }

  lab.connector({ ports: { ...lab.ports, recordingFiles } }).hear(call.stop(), recordedDomain, recordedLeg)
  await lab.until(async () => (await lab.recordings()).length === 1 && lab.notes().length === 0)

  expect(await lab.recordings()).toMatchObject([{ state: 'deleted' }])
  expect(lab.ports.recordingFiles.files.size).toBe(0)
  expect(lab.files()).toEqual([])
  expect(lab.ports.events.published).toEqual([])
})

test('a recording that its owner deletes between two parts leaves no part', async () => {
  const call = aRecordedCall(lab.time)
  lab.write(call.path, aWavFile(8_700_000))
  const files = lab.ports.recordingFiles
  let parts = 0
  const recordingFiles = {
    ...files,
    putPart: async (...given: Parameters<typeof files.putPart>) => {
      const part = await files.putPart(...given)
      const [recording] = await lab.recordings()
      if (recording !== undefined) await lab.ports.recordings.markDeleted(recording, lab.time.clock.now())
      parts += 1
      return part
    },
  }

  lab.connector({ ports: { ...lab.ports, recordingFiles } }).hear(call.stop(), recordedDomain, recordedLeg)
  await lab.until(async () => (await lab.recordings()).length === 1 && lab.notes().length === 0)

  expect([parts, files.openUploads(), files.files.size, lab.files()]).toEqual([1, [], 0, []])
})

test('recordings wait while the object store is away, and are stored when it is back, with two lines in the log', async () => {
  const calls = Array.from({ length: 12 }, () => aRecordedCall(lab.time))
  for (const { path } of calls) lab.write(path)
  let isAway = true
  const recordingFiles = gone(lab.ports.recordingFiles, 'put', () => isAway)
  const recorder = lab.connector({ ports: { ...lab.ports, recordingFiles } })

  for (const call of calls) recorder.hear(call.stop(), recordedDomain, recordedLeg)
  await lab.until(() => (recorder.counters()['recordingFailures'] ?? 0) > 40)
  expect(recorder.counters()).toMatchObject({ recordingsWaiting: 12, recordingsStored: 0 })
  isAway = false
  await lab.until(finished(12))

  expect(lab.ports.events.published).toHaveLength(12)
  expect(lab.log.lines.filter(({ message }) => message.includes('recordings cannot be stored'))).toHaveLength(2)
})
