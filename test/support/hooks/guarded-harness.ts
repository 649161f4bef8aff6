/** The way of an event to receivers over real sockets, with names and time that the test decides. */
import { expect, onTestFinished } from 'vitest'
import type { DeliveryAttempt } from '../../../core/hooks/delivery/delivery.ts'
import { type WireHarness, aWireHarness } from './wire-harness.ts'
import { type GuardedClientSetup, guardedClient } from './guarded-client.ts'
import { type HookSink, startHookSink } from './hook-sink.ts'
import { checkInvariants } from '../invariants/invariants.ts'
import { type ManualTime, manualTime } from '../processes/manual-time.ts'

/** A way whose time stands still until it is moved. */
export interface GuardedHarness extends WireHarness {
  readonly time: ManualTime
  /** Every name that the resolver was asked for, in order. */
  readonly asked: readonly string[]
}

/** A receiver that is closed when the test ends. */
export async function aSink(...given: Parameters<typeof startHookSink>): Promise<HookSink> {
  const sink = await startHookSink(...given)
  onTestFinished(() => sink.close())
  return sink
}

/** A way whose connections are closed when the test ends. */
export function aGuardedHarness(setup: GuardedClientSetup = {}): GuardedHarness {
  const time = setup.time ?? manualTime()
  const client = guardedClient({ ...setup, time })
  onTestFinished(() => client.close())
  return { time, asked: client.asked, ...aWireHarness({ clock: time.clock, hookClient: client }) }
}

/** The last attempt of the only delivery. */
export const lastAttempt = (harness: WireHarness): DeliveryAttempt | undefined =>
  harness.deliveries()[0]?.attempts.at(-1)

/**
 * Checks the state after every fault of a receiver (I2, I3, I6): each delivery has an attempt on record, each request
 * has the id of its delivery, and no secret is logged.
 */
export function checkAftermath(
  harness: WireHarness,
  sinks: readonly HookSink[],
  secrets: readonly string[] = [],
): void {
  const ids = new Set(harness.deliveries().map(({ id }) => id))
  const sent = sinks.flatMap(({ requests }) => requests.map(({ headers }) => headers['webhook-id'] ?? ''))
  const wanted = harness.deliveries().map(({ id, attempts }) => ({ id, publishedAs: attempts.map(() => id) }))
  expect(sent.filter((id) => !ids.has(id))).toEqual([])
  checkInvariants({
    events: { wanted, recordedAsLost: 0 },
    secrets: { values: secrets.map((secret) => secret.slice('whsec_'.length)), seen: harness.log.lines },
  })
}
