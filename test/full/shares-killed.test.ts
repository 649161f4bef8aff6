import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dynamoKnownCallStore } from '../../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import { dynamoGapStore } from '../../adapters/dynamodb/events/dynamo-gap-store.ts'
import type { CdrMessage } from '../../contracts/messages/cdr.ts'
import type { Gap } from '../../core/events/gap.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { type ConnectorPair, startConnectorPair } from '../support/connector/connector-pair.ts'
import { type CallStream, callStream } from '../support/engine/call-stream.ts'
import { recordedCall } from '../support/engine/recorded-call.ts'
import type { TellingEngine } from '../support/engine/telling-engine.ts'
import { type EventLedger, eventLedger } from '../support/invariants/event-ledger.ts'
import { seeded } from '../support/records/seeded.ts'

const domains = ['a.example.com', 'b.example.com', 'c.example.com']
const ends = ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']

/** Calls that are up at each engine, and kills of one connector or of both. */
const liveCalls = 40
const rounds = 4

/** A dead connector is known by its silence of 30 s, and all is as before a minute after a fault. */
const patience = { timeout: 120_000, interval: 500 }

type Sent = EventLedger['missing'][number]

/** An engine, what it sends, and what became of that. */
interface Source {
  readonly engine: TellingEngine
  readonly name: string
  readonly ledger: EventLedger
  readonly stream: CallStream
  /** Calls that were stored before their connector was killed. */
  readonly known: Set<string>
}

const folder = mkdtempSync(join(tmpdir(), 'callplane-shares-'))
const random = seeded(20_261_126)
let pair: ConnectorPair
let sources: readonly Source[]

beforeAll(async () => {
  const call = recordedCall('events/echo-call.json', 'tenant1.example.com')
  pair = await startConnectorPair({ folder, domains, events: [...new Set(call.names)], share: true })
  sources = pair.engines.map((engine) => {
    const ledger = eventLedger()
    const stream = callStream({ engine, ledger, call, domains, live: liveCalls, random })
    return { engine, name: `127.0.0.1:${engine.port}`, ledger, stream, known: new Set() }
  })
  await bothListen()
})

afterAll(async () => {
  await Promise.all(pair.connectors.map((connector) => connector.stop()))
  await pair.close()
  rmSync(folder, { recursive: true, force: true })
})

async function bothListen(): Promise<void> {
  await vi.waitFor(() => expect(pair.engines.map(({ listeners }) => listeners)).toEqual([2, 2]), patience)
}

const upTo = (most: number) => Math.floor(random() * most)

/** Lets both engines send so many events, which one next is random. */
async function tell(count: number): Promise<void> {
  for (let sent = 1; sent <= count; sent += 1) {
    sources[upTo(2)]?.stream.tell()
    // The sockets want their turn.
    if (sent % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Waits until the calls that have begun are stored, and remembers them: each must have one end, whatever is killed from now on. */
async function noteStored({ name, stream, known }: Source): Promise<void> {
  const begun = stream.live.filter(({ callState }) => !['DOWN', 'HANGUP'].includes(callState)).map(({ uuid }) => uuid)
  await vi.waitFor(async () => {
    const stored = new Set((await dynamoKnownCallStore(pair.context).list(name)).map(({ uuid }) => uuid))
    expect(begun.filter((uuid) => !stored.has(uuid))).toEqual([])
  }, patience)
  for (const uuid of begun) known.add(uuid)
}

/** Kills one connector or both, each as likely as another. */
function killSome(): void {
  const victims = [pair.connectors.slice(0, 1), pair.connectors.slice(1), pair.connectors][upTo(3)] ?? []
  for (const { pid } of victims) if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

function covers({ from, to }: Gap, { at }: Sent): boolean {
  return from <= at && at <= to
}

/** The events of an engine that are neither in the queue nor in a gap of this engine. */
async function unaccounted({ name, ledger }: Source): Promise<readonly Sent[]> {
  const gaps = (await dynamoGapStore(pair.context).list(0)).filter(({ engine }) => engine === name)
  return ledger.missing.filter((sent) => !gaps.some((gap) => covers(gap, sent)))
}

const counted = new Set<string | undefined>()

/** Enters what has come into the queue since the last time into the ledger of its engine. The queue lists one group after another. */
function count(): void {
  for (const { body, deduplicationId } of pair.queue.waiting('events')) {
    if (counted.has(deduplicationId)) continue
    counted.add(deduplicationId)
    const event = body as PlatformEvent
    sources.find(({ engine }) => engine.coreUuid === event.fields['Core-UUID'])?.ledger.delivered(event)
  }
}

test('whichever of two connectors with a share each is killed, each event is queued once or lies in a gap of its engine', async () => {
  for (let round = 0; round < rounds; round += 1) {
    await tell(100 + upTo(300))
    for (const source of sources) await noteStored(source)
    await tell(upTo(300))
    killSome()
    await tell(upTo(300))
    await bothListen()
  }
  await tell(500)
  for (const { stream } of sources) while (stream.endOne());

  await vi.waitFor(async () => {
    count()
    expect((await Promise.all(sources.map(unaccounted))).flat()).toEqual([])
    const cdrs = new Set(pair.queue.waiting('cdrs').map(({ body }) => (body as CdrMessage).uuid))
    for (const { ledger, known } of sources) {
      const timesOf = (uuid: string) => ends.map((name) => ledger.timesOf(uuid, name))
      const states = [...known].map((uuid) => `${uuid} ${timesOf(uuid).join()} ${cdrs.has(uuid)}`)
      expect(states.filter((state) => !state.endsWith(' 1,1 true'))).toEqual([])
    }
  }, patience)
  for (const { ledger, stream } of sources) {
    expect(ledger.size).toBeGreaterThan(1_000)
    expect(ledger.missing.length).toBeGreaterThan(0)
    expect([ledger.doubled, ledger.overtaken]).toEqual([[], []])
    for (const { uuid } of stream.ended) {
      expect(ends.map((name) => ledger.timesOf(uuid, name) > 1)).toEqual([false, false])
    }
  }
}, 600_000)
