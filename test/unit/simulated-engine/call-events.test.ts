import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type SimulatorHarness,
  type WireClient,
  type WireFrame,
  busy,
  declines,
  simulatorHarness,
} from '../../support/engine/simulator-harness.ts'
import { recordedExchanges } from '../../support/engine/engine-replay.ts'
import { type FrameShape, shapesOf } from '../../support/engine/engine-shape.ts'

let harness: SimulatorHarness
let caller: WireClient
beforeEach(async () => {
  harness = await simulatorHarness()
  caller = await harness.login()
})
afterEach(() => harness.close())

describe('a call fires the recorded events, in the recorded order on each leg', () => {
  test.each(['events/echo-call.json', 'events/echo-call.plain'])(
    'a call fires the recorded events of %s in the recorded order',
    async (name) => {
      const { listener, recorded } = await listenAs(name)

      const uuid = await originate('user/1000@tenant1.example.com &echo()')
      await harness.time.advance(1_000)
      await caller.command(`api uuid_kill ${uuid}`)

      expectSameLegs(await listener.take(recorded.length), recorded)
    },
  )

  test('a call through loopback fires the events recorded in events/loopback-call.json', async () => {
    const { listener, recorded } = await listenAs('events/loopback-call.json')

    await originate('loopback/9198/tenant1.example.com &park()')

    expectSameLegs(await listener.take(recorded.length), recorded)
  })

  test('holding a call by the API fires the events recorded in events/hold-by-api.json', async () => {
    const { listener, recorded } = await listenAs('events/hold-by-api.json')

    const uuid = await originate('user/1000@tenant1.example.com &bridge(user/1001@tenant1.example.com)')
    await harness.time.advance(1_000)
    for (const order of ['uuid_hold', 'uuid_hold off', 'uuid_hold toggle', 'uuid_hold toggle', 'uuid_kill']) {
      await caller.command(`api ${order} ${uuid}`)
      await harness.time.advance(500)
    }

    expectSameLegs(await listener.take(recorded.length), recorded, resumedInEitherOrder)
  })

  test('an eavesdrop fires the recorded events of control/eavesdrop', async () => {
    const { listener, recorded } = await listenAs('control/eavesdrop')
    const target = await originate('loopback/9197/tenant1.example.com &park()')

    const variables = "{sip_auto_answer=true,origination_caller_id_name='Eavesdrop',eavesdrop_enable_dtmf=true}"
    await originate(`${variables}user/1000@tenant1.example.com &eavesdrop(${target})`)
    await harness.time.advance(1_000)
    await caller.command(`api uuid_kill ${target}`)
    await originate('user/1000@tenant1.example.com &eavesdrop(00000000-0000-0000-0000-000000000000)')

    expectSameLegs(await listener.take(recorded.length), recorded, withoutEavesdropperNumbers)
  })
})

describe('the leg to a called phone, in a call that only a phone could have begun', () => {
  test.each([
    ['events/busy.json', busy],
    ['events/rejected.plain', declines],
  ])('the leg to a called phone is refused as in %s', async (name, refusal) => {
    await harness.close()
    harness = await simulatorHarness({
      phoneBehaviour: (login) => (login === '1001' ? refusal : { kind: 'answer', afterMs: 300 }),
    })
    caller = await harness.login()
    const { listener, recorded } = await listenAs(name)
    const calledLeg = legsOf(recorded).get('leg 2') ?? []

    await originate('user/1000@tenant1.example.com &bridge(user/1001@tenant1.example.com)')
    await harness.time.advance(1_000)

    const leg = legsOf(await listener.drain()).get('leg 2') ?? []
    expect(leg.map(withoutCaller)).toEqual(calledLeg.map(withoutCaller))
  })

  test('the leg to a called phone is answered and bridged as in events/bridged-call.json', async () => {
    const { listener, recorded } = await listenAs('events/bridged-call.json')
    const calledLeg = (legsOf(recorded).get('leg 2') ?? []).filter(beforeItsEnd)

    const uuid = await originate('user/1000@tenant1.example.com &bridge(user/1001@tenant1.example.com)')
    await harness.time.advance(1_000)

    const leg = legsOf(await listener.drain()).get('leg 2') ?? []
    expect(leg.map(withoutCaller)).toEqual(calledLeg.map(withoutCaller))
    await caller.command(`api uuid_kill ${uuid}`)
  })
})

describe('a recorded call', () => {
  test('a recorded call fires the events of the recording as in events/record-session.json', async () => {
    const { listener, recorded } = await listenAs('events/record-session.json')

    await originate('user/1000@tenant1.example.com 5000 XML tenant1.example.com')
    await harness.time.advance(3_000)

    const recordingPartsOf = (frames: readonly WireFrame[]) =>
      shapesOf(frames)
        .filter(({ values }) => recordingEvents.has(values?.['Event-Name'] ?? ''))
        .map(recordingPart)
    expect(recordingPartsOf(await listener.drain())).toEqual(recordingPartsOf(recorded))
  })
})

/** Logs a listener in with the subscription of a recorded one; gives that one's events too. */
async function listenAs(name: string): Promise<{ listener: WireClient; recorded: WireFrame[] }> {
  const exchanges = recordedExchanges(name)
  const subscription = exchanges.find(({ sent }) => sent.startsWith('event '))?.sent.trim() ?? ''
  const listener = await harness.login()
  await listener.command(subscription)
  const frames = exchanges.flatMap(({ frames }) => frames)
  return { listener, recorded: frames.filter(({ headers }) => headers.get('Content-Type')?.startsWith('text/event')) }
}

async function originate(argument: string): Promise<string> {
  const { body } = await caller.command(`api originate ${argument}`)
  expect(body).toMatch(/^\+OK /)
  return body.slice(4).trim()
}

function legsOf(frames: readonly WireFrame[]): Map<string, FrameShape[]> {
  return Map.groupBy(shapesOf(frames), ({ leg }) => leg ?? '')
}

/** Threads of a real engine mix the events of two legs by chance: order counts on each leg alone. */
function expectSameLegs(
  answered: readonly WireFrame[],
  recorded: readonly WireFrame[],
  tolerate: (leg: FrameShape[]) => FrameShape[] = (leg) => leg,
): void {
  const expected = legsOf(recorded)
  const actual = legsOf(answered)
  expect([...actual.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
  for (const [leg, shapes] of expected) expect(tolerate(actual.get(leg) ?? []), leg).toEqual(tolerate(shapes))
}

/** The recording itself has both orders of "resumed" and "active again", once each. */
function resumedInEitherOrder(leg: FrameShape[]): FrameShape[] {
  const isResumed = (shape: FrameShape | undefined) =>
    shape?.values?.['Event-Name'] === 'CHANNEL_UNHOLD' ||
    (shape?.values?.['Original-Channel-Call-State'] === 'UNHELD' && shape.values['Channel-Call-State'] === 'ACTIVE')
  const names = ({ values }: FrameShape) => values?.['Event-Name'] ?? ''
  return leg.flatMap((shape, index) => {
    if (!isResumed(shape)) return [shape]
    if (isResumed(leg[index - 1])) return []
    const pair = [shape, ...leg.slice(index + 1, index + 2)]
    return pair
      .map((one) => without(one, (name) => name === 'Channel-Call-State'))
      .toSorted((a, b) => names(a).localeCompare(names(b)))
  })
}

/** The number updates of an eavesdropper's phone after a change of the other call are not simulated. */
function withoutEavesdropperNumbers(leg: FrameShape[]): FrameShape[] {
  return leg.map((shape) => without(shape, (name) => name.startsWith('variable_last_sent_callee_id_')))
}

/** The variables that the calling leg passes on depend on whether a phone or an order began the call. */
function withoutCaller(shape: FrameShape): FrameShape {
  const passedOn =
    /^(Caller|Other-Leg)-(Username|Dialplan|Source|Context|Caller-ID-Number|Caller-ID-Name|Orig-Caller-ID-Name|Callee-ID-Name|Callee-ID-Number|Logical-Direction|Direction|ANI)$|^Other-Type$/
  return without(shape, (name) => passedOn.test(name))
}

function without(shape: FrameShape, left: (name: string) => boolean): FrameShape {
  return {
    ...shape,
    type: '',
    ...(shape.names === undefined ? {} : { names: shape.names.filter((name) => !left(name)) }),
    values: Object.fromEntries(Object.entries(shape.values ?? {}).filter(([name]) => !left(name))),
  }
}

/** In the recording the called phone hangs up, which no order does. */
function beforeItsEnd({ values }: FrameShape): boolean {
  return values?.['Answer-State'] !== 'hangup'
}

const recordingEvents = new Set([
  'RECORD_START',
  'RECORD_STOP',
  'MEDIA_BUG_START',
  'MEDIA_BUG_STOP',
  'PLAYBACK_START',
  'PLAYBACK_STOP',
])

/** The part of an event that is about the recording; the rest belongs to a leg that a phone began. */
function recordingPart({ names = [], values = {} }: FrameShape): object {
  return {
    event: values['Event-Name'],
    place: values['Event-Calling-Line-Number'],
    cause: values['Record-Completion-Cause'],
    names: names.filter((name) => /^(Record|Playback|Media|variable_(record|playback|RECORD))/.test(name)),
  }
}
