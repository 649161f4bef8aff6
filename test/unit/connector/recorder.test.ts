import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { blankChannel } from '../../../connector/calls/channel.ts'
import { SyntheticEvent } from '../../../connector/calls/synthetic-event.ts'
import { knownRecordings } from '../../../connector/recordings/known-recordings.ts'
import { recordingWord } from '../../../connector/recordings/recording-facts.ts'
import { gone } from '../../support/stores/flaky.ts'
import {
  type RecorderHarness,
  aRecordedCall,
  engineFolder,
  recordedDomain,
  recordedLeg,
  recordingEngine,
  recorderHarness,
} from '../../support/connector/recorder-harness.ts'
import { checkAllInvariants } from '../../support/invariants/invariants.ts'
import { aDomain } from '../../support/records/records.ts'

let harness: RecorderHarness
beforeEach(async () => {
  harness = await recorderHarness()
})
afterEach(() => harness.close())

const ended =
  (count = 1) =>
  async () =>
    (await harness.recordings()).filter(({ endedAt }) => endedAt !== undefined).length === count

describe('a recording', () => {
  test('a recording is expected from its beginning, under the name of its file, with the account of its call', async () => {
    const call = aRecordedCall(harness.time)

    harness.connector().hear(call.start(), recordedDomain, recordedLeg)
    await harness.until(async () => (await harness.recordings()).length === 1)

    expect(await harness.recordings()).toEqual([
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
  })

  test('a recording ends with its stop, and the recorder forgets it then', async () => {
    const call = aRecordedCall(harness.time)
    const recorder = harness.connector()

    for (const event of [call.start(), call.stop(), call.end(), call.stop()]) {
      recorder.hear(event, recordedDomain, recordedLeg)
    }
    await harness.until(ended())

    expect(await harness.recordings()).toMatchObject([{ state: 'expected', endedAt: call.startedAt + 2_000 }])
    expect(recorder.counters()).toEqual({ recordings: 0, recordingFailures: 0, recordingsDropped: 0 })
  })

  test('a recording has the cause of its end and the sound that the engine counts, unless the engine says other things', async () => {
    const [failed, odd] = [aRecordedCall(harness.time), aRecordedCall(harness.time)]
    const recorder = harness.connector()

    for (const [call, cause] of [
      [failed, 'uri-failure'],
      [odd, '<b>'],
    ] as const) {
      recorder.hear(call.start(), recordedDomain, recordedLeg)
      recorder.hear(call.stop(undefined, { 'Record-Completion-Cause': cause }), recordedDomain, recordedLeg)
    }
    await harness.until(ended(2))

    const found = new Map((await harness.recordings()).map((recording) => [recording.uuid, recording]))
    expect(found.get(failed.uuid)).toMatchObject({ completionCause: 'uri-failure', reportedMs: 2_000 })
    expect(found.get(odd.uuid)).toMatchObject({ completionCause: undefined, reportedMs: 2_000 })
  })

  test('a recording whose stop no connector read ends with its call', async () => {
    const call = aRecordedCall(harness.time)
    const recorder = harness.connector()

    recorder.hear(call.start(), recordedDomain, recordedLeg)
    recorder.hear(call.end(), recordedDomain, recordedLeg)
    await harness.until(ended())

    expect(await harness.recordings()).toMatchObject([{ endedAt: call.startedAt + 2_500 }])
  })

  test('a recording of which only the end of its call was read is expected, so that it is reported if it never arrives', async () => {
    const call = aRecordedCall(harness.time)

    harness.connector().hear(call.end(), recordedDomain, recordedLeg)
    await harness.until(async () => (await harness.recordings()).length === 1)

    expect(await harness.recordings()).toMatchObject([
      { state: 'expected', uuid: call.uuid, name: 'recording', startedAt: call.startedAt + 500, leg: 'a' },
    ])
  })

  test('a recording that was already reported is not expected again when its call ends', async () => {
    const call = aRecordedCall(harness.time)
    const recorder = harness.connector()
    recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await harness.until(ended())

    recorder.hear(call.end(), recordedDomain, recordedLeg)
    await harness.time.advance(60_000)

    expect(await harness.recordings()).toHaveLength(1)
  })

  test('a recording whose end no connector read ends with the end that is made up for its call', async () => {
    const call = aRecordedCall(harness.time)
    const recorder = harness.connector()
    recorder.hear(call.start(), recordedDomain, recordedLeg)
    await harness.until(async () => (await harness.recordings()).length === 1)
    await harness.time.advance(600_000)
    expect(await ended()()).toBe(false)

    const channel = { ...blankChannel(call.uuid), engine: recordingEngine, domain: recordedDomain }
    const made = new SyntheticEvent('CHANNEL_HANGUP_COMPLETE', channel, harness.time.clock.now())
    recorder.hear(made, recordedDomain, recordedLeg)
    await harness.until(ended())

    expect(await harness.recordings()).toMatchObject([{ endedAt: call.startedAt + 600_000 }])
  })

  test('of more recordings without an end than there is room for, the oldest is forgotten and counted', async () => {
    const known = knownRecordings(2)
    const calls = Array.from({ length: 3 }, () => aRecordedCall(harness.time))
    const heard = calls.map((call) => {
      const word = recordingWord(call.start(), recordedDomain, recordedLeg, call.startedAt)
      return word === undefined ? [] : known.hear(word)
    })

    expect(heard.map(({ length }) => length)).toEqual([1, 1, 1])
    expect([known.size, known.dropped, calls.map(({ uuid }) => known.hasCall(uuid))]).toEqual([
      2,
      1,
      [false, true, true],
    ])
  })

  test('two recordings of one call are two records', async () => {
    const first = aRecordedCall(harness.time)
    const second = aRecordedCall(harness.time, { uuid: first.uuid, path: `${first.uuid}-2.wav` })
    const recorder = harness.connector()

    for (const event of [first.start(), first.stop(), second.start(), second.stop(), first.end()]) {
      recorder.hear(event, recordedDomain, recordedLeg)
    }
    await harness.until(ended(2))

    expect((await harness.recordings()).map(({ name }) => name).sort()).toEqual([first.path, second.path].sort())
  })

  test('a second recording of a call into the same file is a separate record once the first has ended', async () => {
    const call = aRecordedCall(harness.time)
    const recorder = harness.connector()
    for (const event of [call.start(), call.stop()]) recorder.hear(event, recordedDomain, recordedLeg)
    await harness.until(ended())

    for (const event of [call.start(call.startedAt + 4_000), call.stop(call.startedAt + 9_000), call.end()]) {
      recorder.hear(event, recordedDomain, recordedLeg)
    }
    await harness.until(ended(2))

    expect((await harness.recordings()).map(({ endedAt }) => endedAt)).toEqual([
      call.startedAt + 2_000,
      call.startedAt + 9_000,
    ])
  })

  test('the account of another tenant is never recorded as the account of a recording', async () => {
    const call = aRecordedCall(harness.time)
    await harness.ports.domains.create(aDomain({ name: 'b.example.com', createdAt: call.startedAt - 1_000 }))

    harness.connector().hear(call.stop(), 'b.example.com', recordedLeg)
    await harness.until(async () => (await harness.ports.recordings.page('b.example.com', 10)).length === 1)

    const [recording] = await harness.ports.recordings.page('b.example.com', 10)
    expect(recording?.presenceId).toBeUndefined()
    expect(await harness.recordings()).toEqual([])
  })
})

describe('while the store of recordings is away', () => {
  test('records wait and are written when it is back, with two lines in the log', async () => {
    const calls = Array.from({ length: 12 }, () => aRecordedCall(harness.time))
    let isAway = true
    const recordings = gone(harness.ports.recordings, 'expect', () => isAway)
    const recorder = harness.connector({ ports: { ...harness.ports, recordings } })

    for (const call of calls) recorder.hear(call.stop(), recordedDomain, recordedLeg)
    await harness.until(() => (recorder.counters()['recordingFailures'] ?? 0) > 40)
    expect([recorder.counters()['recordings'], await harness.recordings()]).toEqual([12, []])
    isAway = false
    await harness.until(ended(12))

    expect(recorder.counters()['recordings']).toBe(0)
    expect(harness.log.lines.map(({ message }) => message)).toEqual([
      expect.stringContaining('records of recordings cannot be written'),
      expect.stringContaining('records of recordings cannot be written'),
    ])
  })
})

describe('two connectors that hear every event twice', () => {
  test.each([1, 2, 3, 4])(
    'F13 two connectors make one record, also when one is killed at its call %i of the store',
    async (last) => {
      const call = aRecordedCall(harness.time)
      let calls = 0
      const dying = async <A>(work: () => Promise<A>): Promise<A> => {
        calls += 1
        if (calls > last) throw new Error('the connector was killed')
        return work()
      }
      const real = { ...harness.ports.recordings }
      const recordings: typeof harness.ports.recordings = {
        ...harness.ports.recordings,
        list: (...given) => dying(() => real.list(...given)),
        expect: (...given) => dying(() => real.expect(...given)),
      }
      const both = [harness.connector({ ports: { ...harness.ports, recordings } }), harness.connector()]

      for (const event of [call.start(), call.start(), call.stop(), call.stop(), call.end(), call.end()]) {
        for (const one of both) one.hear(event, recordedDomain, recordedLeg)
      }
      await harness.until(ended())
      await harness.time.advance(120_000)

      const records = await harness.recordings()
      expect(records).toMatchObject([{ state: 'expected', endedAt: call.startedAt + 2_000 }])
      checkAllInvariants({
        acknowledged: [{ what: 'the record', isFound: records.length === 1 }],
        events: { notHere: 'a recorder publishes nothing' },
        commands: { notHere: 'a recorder orders no engine' },
        others: { before: [], after: await harness.ports.recordings.page('b.example.com', 10) },
        secrets: { notHere: 'a recorder reads no file' },
        bounds: [{ of: 'recordings in memory', value: both[1]?.counters()['recordings'] ?? NaN, limit: 0 }],
        backAfterMs: 0,
      })
    },
  )
})

describe('a recording of which only the end of its call was read', () => {
  test('the record of an unheard recording waits for a minute, since another connector may have heard it', async () => {
    const call = aRecordedCall(harness.time)
    harness.connector().hear(call.end(), recordedDomain, recordedLeg)

    await harness.time.advance(59_999)
    expect(await harness.recordings()).toEqual([])
    await harness.time.advance(1)

    await harness.until(async () => (await harness.recordings()).length === 1)
  })

  test('an unheard recording of an earlier tenant is not expected for a later one of the name', async () => {
    const call = aRecordedCall(harness.time)
    await harness.ports.domains.create(aDomain({ name: 'b.example.com', createdAt: call.startedAt + 120_000 }))

    harness.connector().hear(call.end(), 'b.example.com', recordedLeg)
    harness.connector().hear(call.end(), recordedDomain, recordedLeg)
    await harness.until(async () => (await harness.recordings()).length === 1)

    expect(await harness.ports.recordings.page('b.example.com', 10)).toEqual([])
  })
})
