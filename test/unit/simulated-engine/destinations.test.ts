import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type SimulatorHarness,
  type WireClient,
  simulatorHarness,
  recordedDirectory,
} from '../../support/engine/simulator-harness.ts'
import { fromJson } from '../../support/engine/engine-shape.ts'

let harness: SimulatorHarness
let listener: WireClient
beforeEach(async () => {
  harness = await simulatorHarness({
    directory: (form) => recordedDirectory(form.user === '555001' ? { ...form, user: '1001' } : form),
  })
  listener = await harness.login()
  await listener.command(
    'event json CHANNEL_ANSWER CHANNEL_BRIDGE CHANNEL_EXECUTE CHANNEL_HANGUP_COMPLETE RECORD_START RECORD_STOP',
  )
})
afterEach(() => harness.close())

/** Rings Alice's phone and, once it answers, sends it to an extension. */
async function callFromAlice(extension: string): Promise<string> {
  const caller = await harness.login()
  const { body } = await caller.command(
    `api originate user/1000@tenant1.example.com ${extension} XML tenant1.example.com`,
  )
  return body.slice(4).trim()
}

/** The events since the last call, a line for each. */
async function happened(ms: number): Promise<string[]> {
  await harness.time.advance(ms)
  return (await listener.drain()).map(({ body }) => {
    const event = new Map(fromJson(body).pairs)
    return [event.get('Event-Name'), event.get('Application'), event.get('variable_hangup_cause')]
      .filter((part) => part !== undefined)
      .join(' ')
  })
}

const answered = 'CHANNEL_ANSWER'
const ended = (cause: string) => `CHANNEL_HANGUP_COMPLETE ${cause}`

describe('an answered call that is sent to', () => {
  test('a call to 9196 is echoed until one side hangs up', async () => {
    const uuid = await callFromAlice('9196')

    expect(await happened(3_600_000)).toEqual([answered, 'CHANNEL_EXECUTE answer', 'CHANNEL_EXECUTE echo'])
    await (await harness.login()).command(`api uuid_kill ${uuid}`)
    expect(await happened(0)).toEqual([ended('NORMAL_CLEARING')])
  })

  test('a call to 9198 ends by itself after a second, and not before', async () => {
    await callFromAlice('9198')

    expect(await happened(900)).not.toContain(ended('NORMAL_CLEARING'))
    expect(await happened(200)).toContain(ended('NORMAL_CLEARING'))
  })

  test.each([
    ['9199', 'NORMAL_CLEARING'],
    ['5100', 'USER_BUSY'],
    ['5101', 'CALL_REJECTED'],
    ['5103', 'UNALLOCATED_NUMBER'],
    ['no-such-extension', 'NO_ROUTE_DESTINATION'],
  ])('a simulated call to %s ends at once with %s', async (extension, cause) => {
    await callFromAlice(extension)

    expect(await happened(0)).toContain(ended(cause))
  })

  test('a call to 5102 rings until it is ended', async () => {
    await callFromAlice('5102')

    expect(await happened(7_200_000)).toEqual([answered, 'CHANNEL_EXECUTE ring_ready', 'CHANNEL_EXECUTE sleep'])
  })

  test.each([
    ['a login', '1001'],
    ['a number', '555001'],
  ])('a simulated call to %s of an account rings that phone and connects the two', async (_kind, extension) => {
    const uuid = await callFromAlice(extension)

    const events = await happened(1_000)
    expect(events).toEqual([
      answered,
      'CHANNEL_EXECUTE set',
      'CHANNEL_EXECUTE set',
      'CHANNEL_EXECUTE bridge',
      answered,
      'CHANNEL_BRIDGE',
    ])
    await (await harness.login()).command(`api uuid_kill ${uuid}`)
    expect(await happened(0)).toEqual([ended('NORMAL_CLEARING'), ended('NORMAL_CLEARING')])
  })

  test('a call to an account without a phone ends with the cause', async () => {
    await callFromAlice('1005')

    expect(await happened(0)).toContain(ended('USER_NOT_REGISTERED'))
  })

  test('a call to 5000 records a WAV file with two seconds of tone', async () => {
    const uuid = await callFromAlice('5000')
    const file = join(harness.recordingsDir, 'tenant1.example.com', `${uuid}.wav`)

    expect(readFileSync(file)).toHaveLength(44)
    expect(await happened(2_500)).toContain(ended('NORMAL_CLEARING'))

    const recording = readFileSync(file)
    expect(recording.toString('latin1', 0, 4) + recording.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
    expect(recording.readUInt32LE(4)).toBe(recording.length - 8)
    expect([recording.readUInt16LE(20), recording.readUInt16LE(22)]).toEqual([1, 1])
    expect([recording.readUInt32LE(24), recording.readUInt16LE(34)]).toEqual([8_000, 16])
    expect(recording.readUInt32LE(40)).toBe(2 * 8_000 * 2)
    const samples = Array.from({ length: 8_000 }, (_, at) => recording.readInt16LE(44 + at * 2))
    const rises = samples.filter((sample, at) => sample >= 0 && (samples[at - 1] ?? 0) < 0).length
    expect(rises).toBeGreaterThan(430)
    expect(rises).toBeLessThan(450)
  })
})

test('an extension of one domain does not exist in the context of another', async () => {
  const caller = await harness.login()

  const { body } = await caller.command('api originate loopback/9196/elsewhere.example.com &park()')

  expect(body).toBe('-ERR NO_ROUTE_DESTINATION\n')
})

test('a recording is never written outside its folder', async () => {
  const uuid = await callFromAlice('9196')
  const caller = await harness.login()

  for (const path of ['/etc/engine-test.wav', `${harness.recordingsDir}/../escaped.wav`, '../escaped.wav']) {
    expect((await caller.command(`api uuid_record ${uuid} start ${path}`)).body).toBe('-ERR Cannot record session!\n')
  }
})
