import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SimulatorHarness, type WireClient, simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { replay } from '../../support/engine/engine-replay.ts'
import { fromJson, shapesOf } from '../../support/engine/engine-shape.ts'

let harness: SimulatorHarness
let prober: WireClient
beforeEach(async () => {
  harness = await simulatorHarness()
  prober = await harness.login()
})
afterEach(() => harness.close())

/** The events that the recorder's second connection fired after each command of the first, except the login. */
const probes = [
  'MESSAGE',
  'CUSTOM\nEvent-Subclass: lab::a',
  'CUSTOM\nEvent-Subclass: lab::b',
  'CUSTOM\nEvent-Subclass: LAB::A',
  'CUSTOM',
  'NOTIFY',
]

/** The first command after the greeting and the login is number 0. */
async function probe(exchange: number): Promise<void> {
  if (exchange < 2) return
  for (const event of probes) await prober.command(`sendevent ${event}\nprobe: ${exchange - 2}`)
}

describe('after each command of a recorded subscriber, the same events of six come', () => {
  test.each([
    'subscribe/all',
    'subscribe/custom-alone',
    'subscribe/order',
    'subscribe/unknown-name',
    'subscribe/noevents',
    'subscribe/filter',
    'subscribe/format-switch',
  ])('the events after each command of a recorded subscriber are those of the recording %s', async (name) => {
    const exchanges = await replay(harness, name, { after: probe })

    for (const { sent, recorded, answered } of exchanges) {
      expect(shapesOf(answered), `after ${JSON.stringify(sent)}`).toEqual(shapesOf(recorded))
    }
  })
})

test('a subscriber of the simulated engine gets only events that the recorded engine sent', async () => {
  const client = await harness.login()
  await client.command('event plain CUSTOM lab::a')

  await probe(2)

  const subclasses = shapesOf(await client.drain()).map(({ values }) => values?.['Event-Subclass'])
  expect(subclasses).toEqual(['lab::a', undefined])
})

describe('myevents', () => {
  async function uuidsHeardBy(command: (uuid: string) => string): Promise<{ own: string; heard: Set<string> }> {
    const made = async () => {
      const { body } = await prober.command('api originate user/1000@tenant1.example.com &park()')
      return body.slice(4).trim()
    }
    const [own, other] = [await made(), await made()]
    const listener = await harness.login()
    await listener.command(command(own))
    for (const uuid of [other, own]) await prober.command(`api uuid_kill ${uuid}`)
    const events = (await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs))
    return { own, heard: new Set(events.map((event) => event.get('Unique-ID') ?? '')) }
  }

  test('the command myevents lets only the events of that channel pass', async () => {
    const { own, heard } = await uuidsHeardBy((uuid) => `myevents ${uuid} json`)

    expect([...heard]).toEqual([own])
  })

  test('the command myevents for an unknown channel lets the events of every channel pass', async () => {
    const { heard } = await uuidsHeardBy(() => 'myevents 00000000-0000-0000-0000-000000000000 json')

    expect(heard.size).toBe(2)
  })
})
