import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../memory/memory-ports.ts'
import { type Connector, startConnector } from '../../../connector/connector.ts'
import { pause } from '../../../core/concurrency/timers.ts'
import type { RecordedGap } from '../../../core/events/gap.ts'
import { engineGap, isHeardByOthers } from '../../../core/events/time-gaps.ts'
import type { ConnectorReport } from '../../../core/connectors/connector-report.ts'
import type { EventGiven } from '../engine/engine-event.ts'
import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { fakeLinks } from '../engine/fake-esl-session.ts'
import { whileAlive } from '../processes/killed-process.ts'
import { type ManualTime, manualTime, settle } from '../processes/manual-time.ts'
import { memoryDisk, spoolOwner } from './memory-disk.ts'
import { aDomain, aHook } from '../records/records.ts'

const domain = 'a.example.com'

/**
 * The way of an event through a task, as it is seen from outside: it was read; the store of domains is asked; the queue
 * is given it, has taken it, and has said so; the disk is given it, has half of it, has it, is asked for it, has
 * answered, and is rid of it. In between reports and gaps are given to the store, and are there.
 */
export const taskSteps = [
  'read',
  'asking',
  'asked',
  'sending',
  'taken',
  'acknowledged',
  'writing',
  'half written',
  'written',
  'reading back',
  'read back',
  'removed',
  'reporting',
  'reported',
  'recording a gap',
  'recorded a gap',
] as const

/** One of {@link taskSteps}. */
export type TaskStep = (typeof taskSteps)[number]

/** A task of the service: a whole connector with a disk and a machine of its own. */
export interface Task {
  readonly id: string
  readonly connector: Connector
  readonly log: CapturedLog
  /** Whether its calls to the event queue fail; the queue may also be away for all. */
  isCutOff: boolean
  linkUp(): Promise<void>
  linkDown(): Promise<void>
  /** Asks it to stop, which it does as time goes on. Returns how many events it lost. */
  stop(graceMs?: number): Promise<number>
  /** Ends it where it stands: nothing that it does has an effect any more. */
  kill(): void
}

/** Tasks at the same time and one after another, with one engine, one set of stores and one clock. */
export interface TaskHarness {
  readonly time: ManualTime
  /** Whether the event queue takes nothing. */
  isQueueAway: boolean
  /** The duration of each call to the event queue. */
  queueMs: number
  /** Set while reports of connectors are not stored. */
  isStatusAway: boolean
  /** Whether no gap is stored. */
  areGapsAway: boolean
  /** Duration of storing a report or a gap. */
  statusMs: number
  /** Duration of each reading of the disk. */
  diskMs: number
  /** The duration of each reading of the store of domains. */
  domainMs: number
  /** The time that a subscription to events takes on a link that is up. */
  subscribeMs: number
  /** How much the engine's clock is ahead of that of the tasks. */
  engineAheadMs: number
  /** How long an event is on its way from the engine to a task, which reads it that much later than it was made. */
  transitMs: number
  /** Called at each step of a task; one that is killed there goes no further. */
  onStep: (step: TaskStep, task: Task) => void
  /** Starts a task whose links are up, on a disk that an ended task has left or on one of its own. */
  start(id: string, disk?: Disk): Promise<Task>
  diskOf(id: string): Disk
  /** The engine sends an event now. */
  tell(): Promise<void>
  /** The engine gives its sign of life, which every task listens to from the beginning. */
  beat(): void
  gaps(): Promise<RecordedGap[]>
  report(id: string): Promise<ConnectorReport | undefined>
  /**
   * When, in milliseconds since the start and by the engine's clock, events were sent that were neither queued nor fall
   * into a gap that tenants can see.
   */
  unrecorded(): Promise<number[]>
  /** How many events the engine sent, and how many of them were queued. */
  counts(): { readonly sent: number; readonly queued: number }
}

/** A disk, and the machine that it is in. */
export interface Disk {
  readonly files: ReturnType<typeof memoryDisk>
  readonly machine: string
  /** Processes that have run there. */
  processes: number
  readonly alive: Set<string>
}

/** The event link of a task, as the engine sees it. */
interface Listener {
  /** The connection that an event of this name is written to now; absent where none is open that asked for it. */
  connectionFor(name: string): number | undefined
  /** The event arrives, which is nothing if its connection is gone. */
  hear(event: EventGiven, connection: number): void
}

/** A service without tasks, and a hook on the event that its engine sends. */
export async function taskHarness(eventName = 'CHANNEL_HOLD'): Promise<TaskHarness> {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const start = time.clock.now()
  const sentAt = new Map<string, number>()
  const disks = new Map<string, Disk>()
  const running = new Map<string, Listener>()
  await ports.domains.create(aDomain({ name: domain }))
  await ports.hooks.create([aHook({ event: eventName, domain })], 1)

  const newDisk = (): Disk => ({
    files: memoryDisk(),
    machine: `${disks.size + 1}`.padStart(8, '0'),
    processes: 0,
    alive: new Set(),
  })

  const queuedSequences = () => new Set(ports.events.published.flatMap(({ fields }) => fields['Event-Sequence'] ?? []))
  const engineNow = () => time.clock.now() + pipeline.engineAheadMs
  /** An event is written to every connection that asked for it, and is on its way for a while. */
  const send = (event: EventGiven & { readonly name: string }) => {
    const headers = { ...event.headers, 'Event-Date-Timestamp': `${engineNow()}000` }
    const arrivals = [...running.values()].flatMap((listener) => {
      const connection = listener.connectionFor(event.name)
      return connection === undefined ? [] : () => listener.hear({ ...event, headers }, connection)
    })
    time.timers.after(pipeline.transitMs, () => {
      for (const arrive of arrivals) arrive()
    })
  }

  const pipeline: TaskHarness = {
    time,
    isQueueAway: false,
    queueMs: 0,
    isStatusAway: false,
    areGapsAway: false,
    statusMs: 0,
    diskMs: 0,
    domainMs: 0,
    subscribeMs: 0,
    engineAheadMs: 0,
    transitMs: 7,
    onStep: () => {},
    start: async (id, disk = newDisk()) => {
      disks.set(id, disk)
      disk.processes += 1
      const owner = `1-${disk.processes}-${disk.machine}`
      disk.alive.add(owner)
      let isDead = false
      const ifAlive = <T>(work: () => Promise<T>): Promise<T> => (isDead ? new Promise(() => {}) : work())
      const step = (name: TaskStep) => {
        if (!isDead) pipeline.onStep(name, task)
      }
      /** Makes a call to the world, with a step before and after it; a dead connector never gets the answer. */
      const between = async <T>(before: TaskStep, work: () => Promise<T>, after: TaskStep): Promise<T> => {
        step(before)
        const answer = await ifAlive(work)
        step(after)
        return ifAlive(async () => answer)
      }
      const later = (ms: number) => (ms > 0 ? pause(time.timers, ms) : undefined)
      const mine = whileAlive(ports, ifAlive)
      const files = whileAlive({ files: disk.files }, ifAlive).files
      const log = capturedLog()
      const links = fakeLinks()
      const connector = startConnector({
        clock: time.clock,
        timers: { ...time.timers, after: (ms, run) => time.timers.after(ms, () => void (isDead || run())) },
        ports: {
          ...mine,
          domains: {
            ...mine.domains,
            exists: (name) =>
              between(
                'asking',
                async () => {
                  await later(pipeline.domainMs)
                  return mine.domains.exists(name)
                },
                'asked',
              ),
          },
          events: {
            publish: (events) =>
              between(
                'sending',
                async () => {
                  await later(pipeline.queueMs / 2)
                  if (pipeline.isQueueAway || task.isCutOff) throw new Error('the queue is away')
                  const refused = await mine.events.publish(events)
                  step('taken')
                  await later(pipeline.queueMs / 2)
                  return refused
                },
                'acknowledged',
              ),
          },
          gaps: {
            ...mine.gaps,
            record: (gap) =>
              between(
                'recording a gap',
                async () => {
                  await later(pipeline.statusMs)
                  if (pipeline.areGapsAway) throw new Error('the store is away')
                  return mine.gaps.record(gap)
                },
                'recorded a gap',
              ),
          },
          connectorStatus: {
            ...mine.connectorStatus,
            report: (report) =>
              between(
                'reporting',
                async () => {
                  await later(pipeline.statusMs)
                  if (pipeline.isStatusAway) throw new Error('the store is away')
                  return mine.connectorStatus.report(report)
                },
                'reported',
              ),
          },
        },
        receiver: {
          receive: async (_limit, signal) => {
            await pause(time.timers, 20_000, signal)
            return []
          },
          remove: async () => {},
        },
        openLink: links.open,
        engines: [{ host: '192.0.2.1', port: 8021, password: 'ClueCon' }],
        connectorId: id,
        version: '1.2.3',
        spool: {
          folder: '/spool',
          bytes: 64 * 1_048_576,
          files: {
            ...files,
            append: (path, bytes) =>
              between(
                'writing',
                async () => {
                  const half = Math.ceil(bytes.length / 2)
                  await files.append(path, bytes.subarray(0, half))
                  step('half written')
                  await files.append(path, bytes.subarray(half))
                },
                'written',
              ),
            read: (path, offset, length) =>
              between(
                'reading back',
                async () => {
                  await later(pipeline.diskMs)
                  return files.read(path, offset, length)
                },
                'read back',
              ),
            remove: async (path) => {
              await files.remove(path)
              step('removed')
              return ifAlive(async () => {})
            },
          },
          owner: spoolOwner(owner, disk.alive),
        },
        random: () => 0,
        log,
      })
      const [commands, events] = [links.link('commands'), links.link('events')]
      events.resubscribe = async (words) => {
        await later(pipeline.subscribeMs)
        events.words = words
      }
      let losses = 0
      commands.answer = (command) => (command.startsWith('show ') ? '{"row_count": 0}' : 'UP\n')
      running.set(id, {
        connectionFor: (name) => (events.state.kind === 'ready' && events.words.includes(name) ? losses : undefined),
        hear: (event, connection) => {
          if (isDead || connection !== losses) return
          events.emit(event)
          step('read')
        },
      })
      const end = () => {
        disk.alive.delete(owner)
        running.delete(id)
      }
      const task: Task = {
        id,
        connector,
        log,
        isCutOff: false,
        linkUp: async () => {
          commands.up()
          events.up()
          await settle()
        },
        linkDown: async () => {
          losses += 1
          commands.down()
          events.down()
          await settle()
        },
        stop: async (graceMs = 20_000) => {
          const lost = await connector.stop(graceMs)
          if (!isDead) end()
          return lost
        },
        kill: () => {
          isDead = true
          end()
        },
      }
      await task.linkUp()
      await time.advance(0)
      return task
    },
    diskOf: (id) => {
      const disk = disks.get(id)
      if (disk === undefined) throw new Error(`no task ${id} was started`)
      return disk
    },
    tell: async () => {
      const sequence = `${sentAt.size + 1}`
      sentAt.set(sequence, engineNow())
      send({ name: eventName, uuid: `call-${sequence}`, sequence, headers: { 'Caller-Context': domain } })
      await settle()
    },
    beat: () => send({ name: 'HEARTBEAT' }),
    gaps: () => ports.gaps.list(0),
    report: async (id) => (await ports.connectorStatus.list(0)).find(({ connectorId }) => connectorId === id),
    counts: () => ({ sent: sentAt.size, queued: queuedSequences().size }),
    unrecorded: async () => {
      const queued = queuedSequences()
      const reports = await ports.connectorStatus.list(0)
      const recorded = await ports.gaps.list(0)
      const gaps = recorded.filter((gap) => !isHeardByOthers(gap, reports)).map(engineGap)
      return [...sentAt]
        .filter(([sequence, at]) => !queued.has(sequence) && !gaps.some(({ from, to }) => from <= at && at <= to))
        .map(([, at]) => at - start)
    },
  }
  return pipeline
}
