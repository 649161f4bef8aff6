import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'
import { type Figures, percentile } from './figures.ts'

const rounds = 3
const mebibyte = 1024 * 1024
const paths = { pathNoneRatio: 'none', pathOneRatio: 'one', pathAllRatio: 'all' }

/**
 * Measures what reading events costs, each way in its own process and one after another: CPU time of the connector's
 * reader over that of `JSON.parse` on each event; time of a 32 MiB answer over an 8 MiB one; and CPU time of the whole
 * path, from the socket to messages for the queue, over that of reading alone.
 */
export async function benchEsl(): Promise<Figures> {
  const timeOf = await medians(['connector', 'bare', ...Object.values(paths)])
  const reading = timeOf('connector')
  return {
    eslJsonRatio: reading / timeOf('bare'),
    eslReplyRatio: await replyRatio(),
    ...Object.fromEntries(Object.entries(paths).map(([name, wanted]) => [name, timeOf(wanted) / reading])),
  }
}

/** CPU time by the name of a way, of which each was run in every round. */
async function medians(ways: readonly string[]): Promise<(way: string) => number> {
  const engine = await openEngine()
  const times = new Map<string, number[]>(ways.map((way) => [way, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ways) times.get(way)?.push((await measure([way, engine.port, engine.events])).ms)
  }
  engine.child.kill()
  return (way) => percentile(times.get(way) ?? [], 0.5)
}

async function replyRatio(): Promise<number> {
  const engine = await openEngine()
  const times = new Map<number, number[]>([
    [8, []],
    [32, []],
  ])
  for (let round = 0; round < rounds; round += 1) {
    for (const [size, samples] of times) {
      samples.push((await measure(['reply', engine.port, size * mebibyte])).ms)
    }
  }
  engine.child.kill()
  return percentile(times.get(32) ?? [], 0.5) / percentile(times.get(8) ?? [], 0.5)
}

async function openEngine(): Promise<{ child: ChildProcess; port: number; events: number }> {
  const child = fork(new URL('esl/flood.ts', import.meta.url))
  const [message] = await once(child, 'message')
  return { child, ...z.parse(z.object({ port: z.number(), events: z.number() }), message) }
}

const measured = z.object({ ms: z.number(), dropped: z.optional(z.number()) })

async function measure(words: readonly (string | number)[]): Promise<{ ms: number }> {
  const child = fork(new URL('esl/measure.ts', import.meta.url), words.map(String))
  const [message] = await Promise.race([once(child, 'message'), ended(child, words)])
  const { ms, dropped = 0 } = z.parse(measured, message)
  if (dropped > 0) throw new Error(`${dropped} events were dropped: ${words.join(' ')}`)
  return { ms }
}

async function ended(child: ChildProcess, words: readonly (string | number)[]): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`the measurement ended with status ${code}: ${words.join(' ')}`)
}
