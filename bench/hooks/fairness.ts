import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Client } from '../../client/index.ts'
import { openEngine } from '../engine-socket.ts'
import { type Figures, percentile } from '../figures.ts'
import { type BenchPlatform, startPlatform, temporaryState } from '../platform.ts'
import { measuredClient, openTenant } from '../tenant.ts'
import { type BenchSink, openSink } from './sink.ts'

/**
 * One event of the neighbour every 100 ms, and how many of them each phase measures. A p99 of 150 was its second
 * slowest event, and ratios of equal runs were between 1.9 and 5.2; that of 500 is the fifth slowest.
 */
const neighbour = { everyMs: 100, events: 500 }

/**
 * The busy tenant is at work for so long before its neighbour is measured; what takes longer counts as
 * {@link longestMs}.
 */
const settleMs = 5_000
const longestMs = 60_000

/** The load of the busy tenant in each phase: 100 hooks, one event every `everyMs`. */
const busy = {
  /** Each event makes 100 attempts of 1.9 s: twice as many as a laptop has places for. */
  slow: { everyMs: 500, receiverMs: 1_900 },
  /** Nothing fires: all the work is in the filters. */
  patterns: { everyMs: 100, filters: 4, fieldLength: 4_000 },
  /** Two simulated calls at any time, each of which tries all routes. */
  routes: { count: 300, atOnce: 2, number: '1'.repeat(64) },
}

/** Starts the work of the busy tenant, and returns what ends it. */
type Begin = (busy: {
  readonly tenant: Client
  readonly domain: string
  readonly engine: Socket
  readonly sink: BenchSink
}) => Promise<() => void>

/**
 * Event-to-hook time of one tenant on a running platform: with nothing else to do, and then while another tenant has
 * 100 hooks on a receiver that takes 1.9 s, or 100 hooks with expensive patterns, or 300 routes with expensive
 * patterns. Each ratio is of one run of the platform.
 */
export async function benchFairness(): Promise<Figures> {
  const slow = await measureWithBusy(async ({ tenant, domain, engine, sink }) => {
    const url = sink.urlAfter(busy.slow.receiverMs)
    await addHooks(tenant, 'engine::slow', () => ({ url, filter: {} }))
    return repeat(busy.slow.everyMs, () => sendEvent(engine, 'engine::slow', domain))
  })
  const patterns = await measureWithBusy(async ({ tenant, domain, engine, sink }) => {
    const url = sink.urlAfter(0)
    await addHooks(tenant, 'engine::heavy', (at) => ({ url, filter: heavyFilter(at) }))
    const text = 'ab'.repeat(busy.patterns.fieldLength / 2)
    return repeat(busy.patterns.everyMs, () => sendEvent(engine, 'engine::heavy', domain, text))
  })
  const routes = await measureWithBusy(({ tenant }) => simulateCalls(tenant))
  return {
    neighbourIdleP50Ms: percentile(slow.idle, 0.5),
    neighbourIdleP99Ms: percentile(slow.idle, 0.99),
    neighbourWithSlowP50Ms: percentile(slow.loaded, 0.5),
    neighbourWithSlowP99Ms: percentile(slow.loaded, 0.99),
    neighbourWithSlowP99Ratio: percentile(slow.loaded, 0.99) / percentile(slow.idle, 0.99),
    neighbourWithPatternsP50Ms: percentile(patterns.loaded, 0.5),
    neighbourWithPatternsP99Ms: percentile(patterns.loaded, 0.99),
    neighbourWithPatternsP99Ratio: percentile(patterns.loaded, 0.99) / percentile(patterns.idle, 0.99),
    neighbourWithRoutesP50Ms: percentile(routes.loaded, 0.5),
    neighbourWithRoutesP99Ms: percentile(routes.loaded, 0.99),
    neighbourWithRoutesP99Ratio: percentile(routes.loaded, 0.99) / percentile(routes.idle, 0.99),
  }
}

/** The neighbour's latencies without and with a busy tenant, on a platform of their own. */
async function measureWithBusy(begin: Begin) {
  const state = temporaryState()
  const platform = await startPlatform(state.path)
  const sink = await openSink()
  try {
    const engine = await openEngine(platform.enginePort)
    const measured = await openNeighbour(platform, engine)
    const idle = await measured.phase()
    const domain = 'busy.example.com'
    const rootPassword = readFileSync(join(state.path, 'root-password'), 'utf8').trim()
    const tenant = await openTenant(platform.baseUrl, rootPassword, domain)
    const stop = await begin({ tenant, domain, engine, sink })
    await pause(settleMs)
    const loaded = await measured.phase()
    stop()
    engine.destroy()
    measured.close()
    return { idle, loaded }
  } finally {
    sink.close()
    await platform.stop()
    state.remove()
  }
}

/** Creates routes of which none matches, with patterns that are among the slowest, and simulates calls all the time. */
async function simulateCalls(tenant: Client): Promise<() => void> {
  for (let made = 0; made < busy.routes.count; made += 1) {
    await tenant.call('createDefaultRoute', { body: { destination_number: `(?:[+1]?){990}a{0,2}b${made}` } })
  }
  const over = new AbortController()
  const simulate = async () => {
    const body = { number: busy.routes.number }
    while (!over.signal.aborted) await tenant.call('simulateDefaultRoutes', { body }).catch(() => {})
  }
  for (let at = 0; at < busy.routes.atOnce; at += 1) void simulate()
  return () => over.abort()
}

/**
 * A pattern that is among the slowest: only a class of characters follows what matches everywhere, so nothing shows
 * that no match is possible before all the text was read. Each hook has patterns of its own.
 */
function heavyFilter(at: number) {
  const fields = Array.from({ length: busy.patterns.filters }, (_, index) => `variable_text${index}`)
  return Object.fromEntries(
    fields.map((name) => [name, { operation: 'reg' as const, value: `/(a|b){60}[0-9]{1,3}${at}?/` }]),
  )
}

function sendEvent(engine: Socket, subclass: string, domain: string, text = ''): void {
  const fields = text === '' ? '' : [0, 1, 2, 3].map((at) => `variable_text${at}: ${text}\n`).join('')
  count += 1
  engine.write(
    `sendevent CUSTOM\nEvent-Subclass: ${subclass}\nEvent-Domain: ${domain}\nBench-Number: ${count}\n${fields}\n`,
  )
}

let count = 0

function repeat(everyMs: number, run: () => void): () => void {
  const timer = setInterval(run, everyMs)
  return () => clearInterval(timer)
}

type HookOf = (at: number) => {
  url: string
  filter: Readonly<Record<string, { operation: '==' | 'reg'; value: string }>>
}

async function addHooks(client: Client, subclass: string, hookOf: HookOf): Promise<void> {
  for (let made = 0; made < 100; made += 20) {
    const body = Array.from({ length: 20 }, (_, index) => {
      const { url, filter } = hookOf(made + index)
      return { event: `CUSTOM->${subclass}`, action: { type: 'web' as const, method: 'POST', url }, filter }
    })
    await client.call('createHooks', { body })
  }
}

interface Neighbour {
  /** Sends the events of one phase, one after another in time, and answers the milliseconds of each to its hook. */
  phase(): Promise<number[]>
  close(): void
}

/** The tenant that is measured: one hook on a receiver in this process that answers at once. */
async function openNeighbour(platform: BenchPlatform, engine: Socket): Promise<Neighbour> {
  const arrivals = new Map<string, () => void>()
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(204).end()
      const { data } = z.parse(
        z.object({ data: z.record(z.string(), z.unknown()) }),
        JSON.parse(String(Buffer.concat(chunks))),
      )
      arrivals.get(String(data['Bench-Number']))?.()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = z.parse(z.object({ port: z.int() }), receiver.address())
  const username = '1000@demo.example.com'
  const client = measuredClient(platform.baseUrl, username, platform.password(username))
  const action = { type: 'web' as const, method: 'POST', url: `http://127.0.0.1:${port}/` }
  await client.call('createHooks', { body: { event: 'CUSTOM->engine::neighbour', action } })
  const one = () =>
    new Promise<number>((resolve) => {
      const startedAt = performance.now()
      setTimeout(() => resolve(longestMs), longestMs).unref()
      sendEvent(engine, 'engine::neighbour', 'demo.example.com')
      arrivals.set(String(count), () => resolve(performance.now() - startedAt))
    })
  // A new hook takes effect within two seconds.
  await pause(3_000)
  for (let warm = 0; warm < 20; warm += 1) await one()
  return {
    async phase() {
      const taken: Promise<number>[] = []
      for (let sent = 0; sent < neighbour.events; sent += 1) {
        taken.push(one())
        await pause(neighbour.everyMs)
      }
      return Promise.all(taken)
    },
    close() {
      receiver.closeAllConnections()
      receiver.close()
    },
  }
}
