import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../adapters/memory/memory-ports.ts'
import { type Connector, startConnector } from '../../connector/connector.ts'
import { pause } from '../../connector/timers.ts'
import type { RecordedGap } from '../../core/events/gap.ts'
import type { ConnectorReport } from '../../core/status/connector-report.ts'
import { type CapturedLog, capturedLog } from './captured-log.ts'
import { fakeLinks } from './fake-esl-session.ts'
import { type ManualTime, manualTime, settle } from './manual-time.ts'
import { memoryDisk, spoolOwner } from './memory-disk.ts'
import { aDomain, aHook } from './records.ts'

const domain = 'a.example.com'
const eventName = 'CHANNEL_HOLD'

/** A task of the service: a whole connector with a disk and a machine of its own. */
export interface Task {
  readonly id: string
  readonly connector: Connector
  readonly log: CapturedLog
  /** Whether its calls to the event queue fail; the queue may also be away for all. */
  isCutOff: boolean
  linkUp(): Promise<void>
  linkDown(): Promise<void>
  /** Tells it to stop; it is over when time has gone on for as long as that takes. Answers how many events it lost. */
  stop(graceMs?: number): Promise<number>
  /** Ends it where it stands: nothing that it does has an effect any more. */
  kill(): void
}

/** Tasks beside each other and after each other, one engine, one set of stores, one time. */
export interface TaskLab {
  readonly time: ManualTime
  /** Whether the event queue takes nothing. */
  isQueueAway: boolean
  /** What each call to the event queue takes. */
  queueMs: number
  /** Whether what connectors report is not stored. */
  isStatusAway: boolean
  /** Whether no gap is stored. */
  areGapsAway: boolean
  /** What storing a report takes. */
  statusMs: number
  /** Starts a task whose links are up, on a disk that an ended task has left or on one of its own. */
  start(id: string, disk?: Disk): Promise<Task>
  diskOf(id: string): Disk
  /** The engine tells an event now. */
  tell(): Promise<void>
  gaps(): Promise<RecordedGap[]>
  report(id: string): Promise<ConnectorReport | undefined>
  /** When, in milliseconds since the start, events were told that were neither queued nor fall into a recorded gap. */
  unrecorded(): Promise<number[]>
}

/** A disk, and the machine that it is in. */
export interface Disk {
  readonly files: ReturnType<typeof memoryDisk>
  readonly machine: string
  /** Processes that have run there. */
  processes: number
  readonly alive: Set<string>
}

/** A service without tasks, and a hook on what its engine tells. */
export async function taskLab(): Promise<TaskLab> {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const start = time.clock.now()
  const told = new Map<string, number>()
  const disks = new Map<string, Disk>()
  const running = new Map<string, { readonly hear: (sequence: string) => void }>()
  await ports.domains.create(aDomain({ name: domain }))
  await ports.hooks.create([aHook({ event: eventName, domain })], 1)

  const newDisk = (): Disk => ({
    files: memoryDisk(),
    machine: `${disks.size + 1}`.padStart(8, '0'),
    processes: 0,
    alive: new Set(),
  })

  const lab: TaskLab = {
    time,
    isQueueAway: false,
    queueMs: 0,
    isStatusAway: false,
    areGapsAway: false,
    statusMs: 0,
    start: async (id, disk = newDisk()) => {
      disks.set(id, disk)
      disk.processes += 1
      const owner = `1-${disk.processes}-${disk.machine}`
      disk.alive.add(owner)
      let isDead = false
      const requireAlive = () => {
        if (isDead) throw new Error('the process is gone')
      }
      const log = capturedLog()
      const links = fakeLinks()
      const connector = startConnector({
        ...time,
        ports: {
          ...ports,
          events: {
            publish: async (events) => {
              if (lab.queueMs > 0) await pause(time.timers, lab.queueMs)
              requireAlive()
              if (lab.isQueueAway || task.isCutOff) throw new Error('the queue is away')
              return ports.events.publish(events)
            },
          },
          gaps: {
            ...ports.gaps,
            record: async (gap) => {
              requireAlive()
              if (lab.areGapsAway) throw new Error('the store is away')
              return ports.gaps.record(gap)
            },
          },
          connectorStatus: {
            ...ports.connectorStatus,
            report: async (report) => {
              if (lab.statusMs > 0) await pause(time.timers, lab.statusMs)
              requireAlive()
              if (lab.isStatusAway) throw new Error('the store is away')
              return ports.connectorStatus.report(report)
            },
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
            ...disk.files,
            append: async (path, bytes) => {
              requireAlive()
              return disk.files.append(path, bytes)
            },
            remove: async (path) => {
              requireAlive()
              return disk.files.remove(path)
            },
          },
          owner: spoolOwner(owner, disk.alive),
        },
        random: () => 0,
        log,
      })
      const [commands, events] = [links.link('commands'), links.link('events')]
      commands.answer = (command) => (command.startsWith('show ') ? '{"row_count": 0}' : 'UP\n')
      running.set(id, {
        hear: (sequence) => {
          if (events.state.kind !== 'ready') return
          const at = `${time.clock.now()}000`
          const headers = { 'Caller-Context': domain, 'Event-Date-Timestamp': at }
          events.emit({ name: eventName, uuid: `call-${sequence}`, sequence, headers })
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
      const sequence = `${told.size + 1}`
      told.set(sequence, time.clock.now())
      for (const { hear } of running.values()) hear(sequence)
      await settle()
    },
    gaps: () => ports.gaps.list(0),
    report: async (id) => (await ports.connectorStatus.list(0)).find(({ connectorId }) => connectorId === id),
    unrecorded: async () => {
      const queued = new Set(ports.events.published.map(({ fields }) => fields['Event-Sequence']))
      const gaps = await ports.gaps.list(0)
      return [...told]
        .filter(([sequence, at]) => !queued.has(sequence) && !gaps.some(({ from, to }) => from <= at && at <= to))
        .map(([, at]) => at - start)
    },
  }
  return lab
}
