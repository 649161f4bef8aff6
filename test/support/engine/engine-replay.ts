import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type SimulatorHarness, type WireClient, type WireFrame, headersOf } from './simulator-harness.ts'

const folder = new URL('../../fixtures/freeswitch/', import.meta.url)

interface Chunk {
  readonly t: number
  readonly dir: 'in' | 'out'
  readonly off: number
  readonly len: number
}

/** The bytes that a client sent at one moment of a recording, and the frames that came until it sent again. */
export interface Exchange {
  /** Milliseconds since the last byte before. */
  readonly afterMs: number
  /** Byte text. */
  readonly sent: string
  readonly frames: readonly WireFrame[]
}

/** A recording, as exchanges; the first one sends nothing and has the greeting. */
export function recordedExchanges(name: string): Exchange[] {
  const { chunks, frames } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as {
    chunks: readonly (Chunk & { eof?: string })[]
    frames: readonly { off: number; hlen: number; blen: number }[]
  }
  const sent = bytesOf(`${name}.in`)
  const received = bytesOf(`${name}.out`)
  const exchanges: { afterMs: number; sent: string; frames: WireFrame[] }[] = []
  let last = { afterMs: 0, sent: '', frames: new Array<WireFrame>() }
  exchanges.push(last)
  let time = 0
  for (const chunk of chunks.filter(({ eof }) => eof === undefined)) {
    if (chunk.dir === 'in') {
      const bytes = sent.slice(chunk.off, chunk.off + chunk.len)
      if (last.sent !== '' && last.frames.length === 0) last.sent += bytes
      else exchanges.push((last = { afterMs: chunk.t - time, sent: bytes, frames: [] }))
    } else {
      for (const { off, hlen, blen } of frames.filter(({ off }) => off >= chunk.off && off < chunk.off + chunk.len)) {
        const head = received.slice(off, off + hlen)
        last.frames.push({ headers: headersOf(head), body: received.slice(off + hlen, off + hlen + blen) })
      }
    }
    time = chunk.t
  }
  return exchanges
}

/** Acts of others than the recorded client, before the exchange of this number. */
type Meanwhile = (exchange: number) => Promise<void>

/** How a recording is sent again. */
export interface ReplayOptions {
  /** Changes the bytes that are sent, such as a path of the recorded machine. */
  readonly rewrite?: (bytes: string) => string
  /** Acts of other clients after an exchange was sent and its reply came. */
  readonly after?: Meanwhile
}

/** A recorded exchange next to what the simulated engine answered to the same bytes. */
export interface Replayed {
  readonly sent: string
  readonly recorded: readonly WireFrame[]
  readonly answered: readonly WireFrame[]
}

/**
 * Sends what a recorded client sent, at the same distances of time, and gathers as many frames as it got. Where the
 * client named a uuid that the engine had made, the simulated engine's own is sent instead.
 */
export async function replay(
  harness: SimulatorHarness,
  name: string,
  options: ReplayOptions = {},
): Promise<Replayed[]> {
  const client = harness.connect()
  const results: Replayed[] = []
  const uuids = new Map<string, string>()
  for (const [index, exchange] of recordedExchanges(name).entries()) {
    if (exchange.afterMs > 40) await harness.time.advance(Math.round(exchange.afterMs))
    const sent = exchange.sent.replace(uuidPattern, (uuid) => uuids.get(uuid) ?? uuid)
    client.send(options.rewrite?.(sent) ?? sent)
    const answered = await exchangeFrames(client, exchange, () => options.after?.(index))
    learnUuids(uuids, exchange.frames, answered)
    results.push({ sent: exchange.sent, recorded: exchange.frames, answered })
  }
  return results
}

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

function learnUuids(uuids: Map<string, string>, recorded: readonly WireFrame[], answered: readonly WireFrame[]): void {
  for (const [index, frame] of recorded.entries()) {
    const made = /^\+OK (\S{36})\n$/.exec(frame.body)?.[1]
    const ours = /^\+OK (\S{36})\n$/.exec(answered[index]?.body ?? '')?.[1]
    if (made !== undefined && ours !== undefined) uuids.set(made, ours)
  }
}

async function exchangeFrames(
  client: WireClient,
  exchange: Exchange,
  after: () => Promise<void> | undefined,
): Promise<WireFrame[]> {
  const reply = await client.take(Math.min(1, exchange.frames.length))
  await after()
  return [...reply, ...(await client.take(exchange.frames.length - reply.length))]
}

function bytesOf(file: string): string {
  const path = new URL(file, folder)
  const bytes = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(new URL(`${file}.gz`, folder)))
  return bytes.toString('latin1')
}
