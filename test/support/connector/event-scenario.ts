import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { type EventGiven, aCoreUuid } from '../engine/engine-event.ts'
import { type Pipeline, type PipelineHarness, harnessDomain, pipelineHarness, ofCall } from './pipeline-harness.ts'
import { type ManualTime, manualTime, settle } from '../processes/manual-time.ts'
import { type MemoryDisk, memoryDisk } from './memory-disk.ts'
import { type ScenarioProcess, scenarioProcess } from './scenario-process.ts'
import { type FailingQueue, type Publish, failingQueue } from './failing-queue.ts'
import { aHook, aPresence } from '../records/records.ts'
import { planted } from '../invariants/secret-forms.ts'

/** The tenant that has calls all the time and that no fault concerns. */
export const otherDomain = 'b.example.com'

/** Texts that the queue, the disk and the receivers of hooks may hold, and nothing else may. */
export const scenarioSecrets = { queue: planted('of the queue'), receiver: planted('of a receiver') }

/** Changes that happen once in the life of a call; their events have ids of their own. */
const life: ReadonlySet<string> = new Set([
  'CHANNEL_CREATE',
  'CHANNEL_ANSWER',
  'CHANNEL_HANGUP_COMPLETE',
  'CHANNEL_DESTROY',
])

/** An event that a hook of its domain wants. */
export interface WantedEvent {
  readonly id: string
  /** The engine's number of it; absent for events of the platform itself. */
  readonly sequence?: string
}

/** The highest figures at any time. */
interface Peaks {
  memoryBytes: number
  diskBytes: number
  gapsWaiting: number
}

/** Event sides over one disk before one queue, which a test lets fail, and all that is seen of them. */
export interface EventScenario {
  readonly harness: PipelineHarness
  /** The same events of the other tenant, in a harness of its own without a fault. */
  readonly twin: PipelineHarness
  readonly disk: MemoryDisk
  readonly queue: FailingQueue
  readonly log: CapturedLog
  readonly processes: readonly ScenarioProcess[]
  readonly wanted: readonly WantedEvent[]
  readonly peaks: Readonly<Peaks>
  /** Gaps that the store has taken. */
  readonly storedGaps: readonly string[]
  /** All that was ever written to the disk, long fillers left out. */
  written(): string
  /** Events that were given to connectors. */
  readonly sent: number
  /** Starts a process, whose event link is up; the engine has the calls given. */
  start(given?: Pick<Pipeline, 'rows'>): Promise<ScenarioProcess>
  /** Lets the engine tell an event that some hook wants. */
  tell(process: ScenarioProcess, event: EventGiven & { readonly name: string; readonly uuid: string }): Promise<void>
  /** So many whole calls of the tenant in a time, and one of the other for each four; answers the tenant's. */
  calls(process: ScenarioProcess, given: CallsGiven): Promise<string[]>
  /**
   * Ends the fault, at the last moment of which a hook is made, and resolves when nothing waits; answers how long that
   * took. A call right after it must be published within a tenth of a second.
   */
  over(process: ScenarioProcess): Promise<number>
}

/** The calls to be made. */
export interface CallsGiven {
  readonly count: number
  readonly overMs: number
  /** Bytes of a CHANNEL_HOLD in the middle of each call; there is none where absent. */
  readonly holdBytes?: number
}

/** The settings of a scenario that a test chooses. */
interface ScenarioGiven {
  /** Room on the disk by the settings. */
  readonly spoolBytes?: number
  readonly time?: ManualTime
  /** A queue over the network, whose answers are waited for; the one in memory where absent. */
  readonly publish?: Publish
}

/** A text without what only makes events large. */
export function withoutFillers(text: string): string {
  return text.replaceAll(/x{100,}/g, 'x')
}

let sequence = 100_000

/** Makes a harness of two tenants and no process yet. */
export async function eventScenario(given: ScenarioGiven = {}): Promise<EventScenario> {
  const { time = manualTime(), spoolBytes = 64 * 1024 * 1024 } = given
  const harness = await pipelineHarness(time, [harnessDomain, otherDomain])
  const twin = await pipelineHarness(time, [otherDomain])
  // A phone is registered for each account, so that calls make it busy and free.
  for (const domain of [harnessDomain, otherDomain]) await harness.ports.presence.put(aPresence({ domain }))
  await twin.ports.presence.put(aPresence({ domain: otherDomain }))
  const twinProcess = await twin.connector('connector-twin')
  await twinProcess.up()
  const disk = memoryDisk()
  const queue = failingQueue(time.clock, async (batch) => {
    const refused = (await given.publish?.(batch)) ?? []
    const taken = batch.filter(({ id }) => !refused.includes(id))
    return [...refused, ...(await harness.ports.events.publish(taken))]
  })
  const log = capturedLog()
  const processes: ScenarioProcess[] = []
  const wanted: WantedEvent[] = []
  const storedGaps: string[] = []
  const written: string[] = []
  const peaks: Peaks = { memoryBytes: 0, diskBytes: 0, gapsWaiting: 0 }
  let sent = 0
  const look = () => {
    const sum = (name: string) => processes.reduce((most, { counter }) => Math.max(most, counter(name)), 0)
    peaks.memoryBytes = Math.max(peaks.memoryBytes, sum('memoryBytes'))
    peaks.gapsWaiting = Math.max(peaks.gapsWaiting, sum('gapsWaiting'))
    peaks.diskBytes = Math.max(peaks.diskBytes, disk.used())
  }

  const pass = async (ms: number) => {
    await time.advance(ms)
    while (given.publish !== undefined && queue.underWay > 0) await settle()
    look()
  }

  const start: EventScenario['start'] = async ({ rows } = { rows: [] }) => {
    const process = await scenarioProcess({
      harness,
      disk,
      queue,
      spoolBytes,
      log,
      name: `${processes.length + 1}`,
      onWrite: (bytes) => {
        written.push(withoutFillers(bytes.toString('latin1')))
        look()
      },
      onGap: (id) => void storedGaps.push(id),
    })
    processes.push(process)
    process.pipeline.rows = rows
    const expires = Math.floor(time.clock.now() / 1_000) + 86_400
    process.pipeline.registrations = [harnessDomain, otherDomain].map((domain) => ({ user: '1000', domain, expires }))
    await process.pipeline.up()
    return process
  }

  const tell: EventScenario['tell'] = async (process, { name, uuid, ...more }) => {
    sequence += 1
    sent += 1
    const event = { name, uuid, sequence, ...more }
    const domain = more.headers?.['Caller-Context'] ?? harnessDomain
    const core = `${aCoreUuid}:`
    const id = life.has(name) ? `${core}${uuid}:${name}` : `${core}${sequence}`
    wanted.push({ id, sequence: `${sequence}` })
    const change = name === 'CHANNEL_CREATE' ? 'busy' : 'free'
    if (name === 'CHANNEL_CREATE' || name === 'CHANNEL_HANGUP_COMPLETE') {
      wanted.push({ id: `${core}${uuid}:${change}:account_status` })
    }
    await process.pipeline.emit(event)
    if (domain === otherDomain) await twinProcess.emit(event)
    look()
  }

  const call = async (process: ScenarioProcess, domain: string, holdBytes: number | undefined) => {
    const uuid = `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`
    const presence = { 'Caller-Context': domain, 'Channel-Presence-ID': `1000@${domain}` }
    const headers = ofCall(time.clock.now(), presence)
    await tell(process, { name: 'CHANNEL_CREATE', uuid, headers })
    await tell(process, { name: 'CHANNEL_ANSWER', uuid, headers })
    if (holdBytes !== undefined) {
      await tell(process, { name: 'CHANNEL_HOLD', uuid, headers: { ...headers, filler: 'x'.repeat(holdBytes) } })
    }
    await tell(process, { name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers })
    await tell(process, { name: 'CHANNEL_DESTROY', uuid, headers })
    return uuid
  }

  const calls: EventScenario['calls'] = async (process, { count, overMs, holdBytes }) => {
    const made: string[] = []
    for (let index = 0; index < count; index += 1) {
      made.push(await call(process, harnessDomain, holdBytes))
      if (index % 4 === 0) await call(process, otherDomain, holdBytes)
      await pass(overMs / count)
    }
    return made
  }

  const hookOfTheLastMoment = async (process: ScenarioProcess) => {
    const subclass = 'engine::last_moment'
    const headers = { authorization: scenarioSecrets.receiver }
    const hook = aHook({ id: 'made-meanwhile', event: `CUSTOM->${subclass}`, domain: harnessDomain, headers })
    await harness.ports.hooks.create([hook], 100)
    // A new hook takes effect within two seconds.
    await time.advance(2_000)
    await tell(process, { name: 'CUSTOM', subclass, uuid: '', headers: { domain_name: harnessDomain } })
  }

  return {
    harness,
    twin,
    disk,
    queue,
    log,
    processes,
    wanted,
    peaks,
    storedGaps,
    written: () => written.join(''),
    get sent() {
      return sent
    },
    start,
    tell,
    calls,
    over: async (process) => {
      await hookOfTheLastMoment(process)
      Object.assign(disk, { room: Infinity, isReadOnly: false, beforeWrite: async () => {} })
      queue.instead = undefined
      const { side } = process.pipeline
      const since = time.clock.now()
      for (let steps = 0; steps < 200 && (side.waiting > 0 || side.lagMs >= 1_000); steps += 1) {
        await pass(500)
      }
      const backAfterMs = time.clock.now() - since
      for (const domain of [harnessDomain, otherDomain]) await call(process, domain, undefined)
      await pass(100)
      return side.waiting === 0 ? backAfterMs : Infinity
    },
  }
}
