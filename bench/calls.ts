import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { freePort } from '../packages/laptop/processes/free-port.ts'
import { engineCredential, startEngine } from './calls/engine.ts'
import { type Called, hasSipp, placeCalls } from './calls/sipp.ts'
import { type Figures, percentile } from './figures.ts'
import { startOptions } from './measured-server.ts'
import { CallPlayer, callEvents } from './pipeline/calls.ts'
import { temporaryState } from './platform.ts'
import { openTenant } from './tenant.ts'

/** Calls, and besides them events of other calls, which the engine is only made to report. */
interface Load {
  readonly perSecond: number
  readonly eventsPerSecond: number
}

const loads: readonly Load[] = [
  { perSecond: 5, eventsPerSecond: 0 },
  { perSecond: 10, eventsPerSecond: 70 },
  { perSecond: 20, eventsPerSecond: 0 },
  { perSecond: 40, eventsPerSecond: 0 },
]

const domain = 'calls.example.com'
/** Numbers of one route, of which none is called twice within seconds. */
const numbers = Array.from({ length: 1_000 }, (_, index) => String(8_000 + index))
const logins = ['1001', '1002', '1003', '1004', '1005', '1006', '1007', '1008']
const password = 'Bench-password-1'

/**
 * Calls at a real engine with the kit and the platform of `npm start`: phones that authenticate by digest call a number
 * of a route, while three hooks hear of each call. Times each lookup as the engine sees it. `BENCH_SECONDS` is how long
 * each load lasts, `BENCH_LOADS` names the loads by their calls a second. Skipped without FREESWITCH_BIN or sipp.
 */
export async function benchCalls(): Promise<Figures> {
  const program = process.env['FREESWITCH_BIN']
  if (program === undefined || !hasSipp()) {
    console.log('  skipped: it needs a FreeSWITCH, whose program FREESWITCH_BIN names, and sipp')
    return {}
  }
  const wanted = process.env['BENCH_LOADS']?.split(',')
  const seconds = Number(process.env['BENCH_SECONDS'] ?? 60)
  const figures: Record<string, number> = {}
  for (const load of loads.filter(({ perSecond }) => wanted?.includes(String(perSecond)) ?? true)) {
    for (const [name, value] of Object.entries(await measure(program, load, seconds))) {
      figures[`calls${load.perSecond}${name}`] = value
    }
  }
  return figures
}

async function measure(program: string, load: Load, seconds: number): Promise<Figures> {
  await using parts = new AsyncDisposableStack()
  const state = temporaryState()
  parts.defer(() => state.remove())
  const receiver = fork(new URL('pipeline/receiver.ts', import.meta.url))
  parts.defer(() => receiver.disconnect())
  const { port: receiverPort } = await started(receiver)
  const [port, socketPort] = [await freePort(), await freePort()]
  const relay = fork(new URL('calls/lookups.ts', import.meta.url), [String(port)])
  parts.defer(() => relay.disconnect())
  const platformUrl = `http://127.0.0.1:${(await started(relay)).port}`
  const engine = await startEngine(program, { folder: join(state.path, 'engine'), platformUrl, socketPort })
  parts.defer(() => engine.stop())
  const platform = await startPlatform(join(state.path, 'data'), port, socketPort)
  parts.defer(() => stop(platform))
  await addTenant(`http://127.0.0.1:${port}`, join(state.path, 'data'), `http://127.0.0.1:${receiverPort}/`)
  // A new hook takes effect within two seconds.
  await pause(3_000)
  const calling = { sipPort: engine.sipPort, domain, logins, password, numbers }
  await placeCalls(state.path, { ...calling, perSecond: 2, seconds: 3 })
  await ask(relay)
  await ask(platform, 'count')
  const playing = playEvents(socketPort, load, seconds)
  const called = await placeCalls(state.path, { ...calling, perSecond: load.perSecond, seconds })
  await playing
  const lookups = z.parse(lookupsShape, await ask(relay)).lookups
  const { calls, cpuMs } = z.parse(countedShape, await ask(platform, 'report'))
  printRun(load, called, { lookups, calls })
  return figuresOf(called, { lookups, cpuMs, seconds })
}

const lookupsShape = z.object({ lookups: z.array(z.tuple([z.string(), z.number(), z.number()])) })
const countedShape = z.object({ calls: z.record(z.string(), z.number()), cpuMs: z.number() })
type Lookups = z.infer<typeof lookupsShape>['lookups']

async function startPlatform(dataDir: string, port: number, socketPort: number): Promise<ChildProcess> {
  const platform = fork(new URL('pipeline/counted-platform.ts', import.meta.url), {
    env: {
      ...process.env,
      MALLOC_MMAP_THRESHOLD_: '1048576',
      MALLOC_ARENA_MAX: '2',
      PORT: String(port),
      DATA_DIR: dataDir,
      ENGINE_URL: `esl://:ClueCon@127.0.0.1:${socketPort}`,
      ENGINE_CREDENTIAL: engineCredential,
    },
    execArgv: startOptions,
  })
  await once(platform, 'message')
  return platform
}

async function stop(platform: ChildProcess): Promise<void> {
  platform.send('stop')
  await once(platform, 'exit')
}

async function addTenant(baseUrl: string, dataDir: string, url: string): Promise<void> {
  const rootPassword = readFileSync(join(dataDir, 'root-password'), 'utf8').trim()
  const client = await openTenant(baseUrl, rootPassword, domain)
  for (const login of logins) await client.call('createAccount', { body: { login, password, role: 'user' } })
  await client.call('createDefaultRoute', {
    body: { destination_number: String.raw`8\d{3}`, callflow: [{ answer: '' }, { echo: '' }] },
  })
  const action = { type: 'web' as const, method: 'POST', url }
  await client.call('createHooks', { body: callEvents.map(({ name: event }) => ({ event, action })) })
}

async function playEvents(socketPort: number, { eventsPerSecond }: Load, seconds: number): Promise<void> {
  if (eventsPerSecond === 0) return
  const player = await CallPlayer.open(socketPort)
  await player.play([domain], eventsPerSecond / callEvents.length, seconds)
  player.close()
}

async function started(child: ChildProcess): Promise<{ readonly port: number }> {
  const [message] = await once(child, 'message')
  return z.parse(z.object({ port: z.int() }), message)
}

async function ask(child: ChildProcess, question = 'report'): Promise<unknown> {
  const answer = once(child, 'message')
  child.send(question)
  return (await answer)[0]
}

function figuresOf(
  { answered, refused, failed, setUpMs }: Called,
  { lookups, cpuMs, seconds }: { readonly lookups: Lookups; readonly cpuMs: number; readonly seconds: number },
): Figures {
  const times = (isWanted: (status: number) => boolean) =>
    lookups.filter(([, status]) => isWanted(status)).map(([, , ms]) => ms)
  const [served, refusals] = [times((status) => status === 200), times((status) => status === 503)]
  return {
    AnsweredPerSecond: answered / seconds,
    Refused: refused,
    Failed: failed,
    SetUpP50Ms: percentile(setUpMs, 0.5),
    SetUpP99Ms: percentile(setUpMs, 0.99),
    LookupP50Ms: percentile(served, 0.5),
    LookupP99Ms: percentile(served, 0.99),
    LookupMaxMs: Math.max(0, ...served),
    Lookups503: refusals.length,
    ...(refusals.length === 0 ? {} : { Lookup503P99Ms: percentile(refusals, 0.99) }),
    LookupsGivenUp: times((status) => status === 0).length,
    MainCpuMs: cpuMs / seconds,
  }
}

function printRun(
  { perSecond, eventsPerSecond }: Load,
  { answered, refused, failed }: Called,
  seen: { readonly lookups: Lookups; readonly calls: Readonly<Record<string, number>> },
): void {
  const besides = eventsPerSecond === 0 ? '' : ` beside ${eventsPerSecond} more events a second`
  console.log(`  ${perSecond} calls/s${besides}: ${answered} answered, ${refused} refused, ${failed} failed`)
  const byAnswer = Map.groupBy(seen.lookups, ([path, status]) => `${path} ${status}`)
  for (const [answer, all] of [...byAnswer].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`    ${answer}: ${all.length}`)
  for (const [call, count] of Object.entries(seen.calls)) {
    if (/lookUp/i.test(call)) console.log(`    ${call.padEnd(60)} ${count}`)
  }
  console.log(
    `    load of the machine: ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')}`,
  )
}
