import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { QueuedDelivery } from '../../core/hooks/delivery/delivery-queue.ts'
import type { Hook } from '../../core/hooks/definition/hook.ts'
import { handler as deliver } from '../../functions/hooks/deliver.ts'
import type { Figures } from '../figures.ts'
import { bareClient } from './bare-client.ts'
import { benchDelivery, benchEvent, benchHook, deliveryBench } from './deliveries.ts'
import { messageBody, recordOf } from './records.ts'
import { openSink } from './sink.ts'

const rounds = 5
/** As many as one function is given at once. */
const batchSize = 10

/** How the receiver answers, and how many attempts a round makes. */
const settings = {
  /** After 10 ms, as a good one on the internet does. */
  usual: { answerMs: 10, attempts: 2000 },
  /** At once: what is left is the work of this process alone. */
  atOnce: { answerMs: 0, attempts: 5000 },
}

/**
 * Attempts a second of the function that delivers, over stores in memory, and of a bare undici client that sends the
 * same requests, signed, ten at once, within the same limits; the time of the first over that of the second, and the
 * CPU time where the receiver answers at once: the medians of five rounds in turn, in one process.
 */
export async function benchThroughput(): Promise<Figures> {
  const sink = await openSink()
  try {
    const usual = await compare(sink.urlAfter(settings.usual.answerMs), settings.usual.attempts)
    const atOnce = await compare(sink.urlAfter(settings.atOnce.answerMs), settings.atOnce.attempts)
    return {
      deliverPerSecond: usual.deliver.perSecond,
      bareClientPerSecond: usual.bare.perSecond,
      deliverTimeRatio: usual.bare.perSecond / usual.deliver.perSecond,
      deliverCpuMs: atOnce.deliver.cpuMs,
      deliverCpuRatio: atOnce.deliver.cpuMs / atOnce.bare.cpuMs,
    }
  } finally {
    sink.close()
  }
}

interface Pace {
  readonly perSecond: number
  readonly cpuMs: number
}

/** Runs batches of attempts, one after another. */
type Run = (batches: readonly (readonly QueuedDelivery[])[]) => Promise<void>

async function compare(url: string, attempts: number): Promise<{ deliver: Pace; bare: Pace }> {
  const parts = deliveryBench()
  const hook = await benchHook(parts, url, 'bench.example.com')
  const event = benchEvent(1)
  await parts.ports.deliveries.keepEvent(event)
  const runs: Readonly<Record<'deliver' | 'bare', Run>> = { deliver: deliverRun(parts), bare: bareRun(url, event) }
  const paces: { deliver: Pace[]; bare: Pace[] } = { deliver: [], bare: [] }
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of ['deliver', 'bare'] as const) {
      const pace = await measure(runs[name], await queue(parts, hook, event, attempts))
      // The first round warms up.
      if (round > 0) paces[name].push(pace)
    }
  }
  return { deliver: median(paces.deliver), bare: median(paces.bare) }
}

async function queue(
  parts: ReturnType<typeof deliveryBench>,
  hook: Hook,
  event: PlatformEvent,
  count: number,
): Promise<QueuedDelivery[][]> {
  parts.ports.state.deliveries.clear()
  const batches: QueuedDelivery[][] = []
  for (let made = 0; made < count; made += 1) {
    if (made % batchSize === 0) batches.push([])
    batches.at(-1)?.push(await benchDelivery(parts, { hook, event, sequence: made }))
  }
  return batches
}

async function measure(run: Run, batches: readonly (readonly QueuedDelivery[])[]): Promise<Pace> {
  const attempts = batches.flat().length
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await run(batches)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  return { perSecond: attempts / seconds, cpuMs: (user + system) / 1000 / attempts }
}

function median(paces: readonly Pace[]): Pace {
  const middle = (of: (pace: Pace) => number) =>
    paces.map(of).sort((one, other) => one - other)[Math.floor(paces.length / 2)] ?? Number.NaN
  return { perSecond: middle(({ perSecond }) => perSecond), cpuMs: middle(({ cpuMs }) => cpuMs) }
}

function deliverRun(parts: ReturnType<typeof deliveryBench>): Run {
  const handler = deliver.over(parts.ports, parts.tools)
  return async (batches) => {
    for (const batch of batches) {
      const Records = batch.map((queued) => recordOf(queued.id, messageBody(queued)))
      const { batchItemFailures } = await handler({ Records }, { getRemainingTimeInMillis: () => 60_000 })
      if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} attempts were not handled`)
    }
    const states = new Set(Array.from(parts.ports.state.deliveries.values(), ({ state }) => state))
    if (states.size !== 1 || !states.has('delivered')) throw new Error('not everything was delivered')
  }
}

function bareRun(url: string, event: PlatformEvent): Run {
  const send = bareClient(url)
  return async (batches) => {
    for (const batch of batches) await Promise.all(batch.map(({ id }) => send(id, event)))
  }
}
