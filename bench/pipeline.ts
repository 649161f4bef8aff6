import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { freePort } from '../packages/laptop/processes/free-port.ts'
import { type Figures, percentile } from './figures.ts'
import { startOptions } from './measured-server.ts'
import { CallPlayer, callEvents } from './pipeline/calls.ts'
import { residentMbOf, temporaryState } from './platform.ts'
import { openTenant } from './tenant.ts'

interface Load {
  readonly name: string
  readonly tenants: number
  readonly callsPerSecond: number
  readonly seconds: number
}

/** The loads of the budgets. `flood` is more than two cores carry: what comes out then is the largest rate. */
const loads: readonly Load[] = [
  { name: 'calm', tenants: 1, callsPerSecond: 10, seconds: 15 },
  { name: 'busy', tenants: 1, callsPerSecond: 100, seconds: 30 },
  { name: 'tenants', tenants: 10, callsPerSecond: 100, seconds: 30 },
  { name: 'flood', tenants: 1, callsPerSecond: 250, seconds: 30 },
]

/** How long is waited for what was not delivered when the load ended, and how often it is looked. */
const drainMs = 60_000
const lookMs = 500

const asStarted = {
  options: startOptions,
  env: { MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_ARENA_MAX: '2' },
}

/** Calls of the warm-up, which is not measured. */
const warmUp = { callsPerSecond: 10, seconds: 3 }

const counted = z.object({
  calls: z.record(z.string(), z.number()),
  writeUnits: z.number(),
  hottest: z.number(),
  cpuMs: z.number(),
})

/**
 * Events from the engine's socket to the receiver's, on the platform of `npm start`: one hook for each kind of event, a
 * receiver that answers at once, and every store and queue call counted at the gate. `BENCH_LOADS` names the loads that
 * are measured, with commas between.
 */
export async function benchPipeline(): Promise<Figures> {
  const wanted = process.env['BENCH_LOADS']?.split(',')
  const figures: Record<string, number> = {}
  for (const load of loads.filter(({ name }) => wanted?.includes(name) ?? true)) {
    const measured = await measure(load)
    const prefix = `pipeline${load.name[0]?.toUpperCase()}${load.name.slice(1)}`
    for (const [name, value] of Object.entries(measured)) figures[`${prefix}${name}`] = value
  }
  return figures
}

async function measure({ name, tenants, callsPerSecond, seconds }: Load): Promise<Figures> {
  const state = temporaryState()
  const [port, enginePort] = [await freePort(), await freePort()]
  // The largest rate is that of the machine, and not of the setting.
  const limit = { EVENTS_PER_SECOND: '100000' }
  const env = {
    ...process.env,
    ...limit,
    ...asStarted.env,
    PORT: String(port),
    ENGINE_PORT: String(enginePort),
    DATA_DIR: state.path,
  }
  const platform = fork(new URL('pipeline/counted-platform.ts', import.meta.url), {
    env,
    execArgv: asStarted.options,
  })
  const receiver = fork(new URL('pipeline/receiver.ts', import.meta.url))
  try {
    const [listening] = await Promise.all([once(receiver, 'message'), once(platform, 'message')])
    const url = `http://127.0.0.1:${z.parse(z.object({ port: z.int() }), listening[0]).port}/`
    const domains = Array.from({ length: tenants }, (_, index) => `bench${index}.example.com`)
    const rootPassword = readFileSync(join(state.path, 'root-password'), 'utf8').trim()
    for (const domain of domains) await addTenant(`http://127.0.0.1:${port}`, rootPassword, { domain, url })
    // A new hook takes effect within two seconds.
    await pause(3_000)
    const player = await CallPlayer.open(enginePort)
    await player.play(domains, warmUp.callsPerSecond, warmUp.seconds)
    await pause(2_000)
    await arrivalsAt(receiver)
    const warmed = player.sentAt.size
    await ask(platform, 'count')
    await player.play(domains, callsPerSecond, seconds)
    const memoryMb = residentMbOf(platform.pid ?? 0)
    const arrivals = await allArrivals(receiver, player.sentAt.size - warmed)
    const counts = z.parse(counted, await ask(platform, 'report'))
    player.close()
    return figuresOf(name, player.sentAt, arrivals, { counts, memoryMb, warmed })
  } finally {
    platform.send('stop')
    await once(platform, 'exit')
    receiver.disconnect()
    state.remove()
  }
}

async function addTenant(baseUrl: string, rootPassword: string, { domain, url }: { domain: string; url: string }) {
  const client = await openTenant(baseUrl, rootPassword, domain)
  const action = { type: 'web' as const, method: 'POST', url }
  await client.call('createHooks', { body: callEvents.map(({ name: event }) => ({ event, action })) })
}

type Arrival = readonly [number: number, at: number]

async function ask(child: ChildProcess, question: string): Promise<unknown> {
  const answer = once(child, 'message')
  child.send(question)
  return (await answer)[0]
}

async function arrivalsAt(receiver: ChildProcess): Promise<Arrival[]> {
  const report = z.object({ arrivals: z.array(z.tuple([z.number(), z.number()])) })
  return z.parse(report, await ask(receiver, 'report')).arrivals
}

/** Everything that arrives until all is there, or nothing came for a while. */
async function allArrivals(receiver: ChildProcess, expected: number): Promise<Arrival[]> {
  const found: Arrival[] = []
  const deadline = performance.now() + drainMs
  for (;;) {
    found.push(...(await arrivalsAt(receiver)))
    if (new Set(found.map(([number]) => number)).size >= expected || performance.now() > deadline) return found
    await pause(lookMs)
  }
}

interface Observed {
  readonly counts: z.infer<typeof counted>
  readonly memoryMb: number
  readonly warmed: number
}

function figuresOf(
  name: string,
  sentAt: ReadonlyMap<number, number>,
  arrivals: readonly Arrival[],
  { counts, memoryMb, warmed }: Observed,
): Figures {
  const first = new Map<number, number>()
  for (const [number, at] of arrivals) if (number > warmed && !first.has(number)) first.set(number, at)
  const times = Array.from(first, ([number, at]) => at - (sentAt.get(number) ?? at))
  const sent = sentAt.size - warmed
  const start = sentAt.get(warmed + 1) ?? 0
  const end = [...first.values()].reduce((last, at) => Math.max(last, at), start)
  const perEvent = (count: number) => count / Math.max(1, first.size)
  const inOrder = Object.entries(counts.calls).toSorted(([, one], [, other]) => other - one)
  console.log(`  ${name}: ${sent} events sent, ${first.size} delivered, ${arrivals.length} requests`)
  for (const [call, count] of inOrder) console.log(`    ${call.padEnd(48)} ${perEvent(count).toFixed(2)}`)
  return {
    PerSecond: first.size / ((end - start) / 1000),
    P50Ms: percentile(times, 0.5),
    P99Ms: percentile(times, 0.99),
    Calls: perEvent(inOrder.reduce((sum, [, count]) => sum + count, 0)),
    WriteUnits: perEvent(counts.writeUnits),
    HottestUnits: counts.hottest,
    Lost: sent - first.size,
    MemoryMb: memoryMb,
    MainCpuMs: perEvent(counts.cpuMs),
  }
}
