/**
 * Reads a flood in one of the ways that are compared, in its own process, and sends its parent the CPU milliseconds
 * from the first event to the last: `measure.ts <way> <port> <events>`. The way `reply` sends the milliseconds
 * of one answer of so many bytes instead.
 */
import { openEslSession } from '@callplane/esl'
import { openBareReader } from './bare-reader.ts'
import { EslCommand, EslConnection, EslError, defaultEslLimits, systemEslTimers } from './reader.ts'
import { wholePath } from './whole-path.ts'

const [, , way = '', port = '', amount = ''] = process.argv
const names = ['Event-Name', 'Event-Sequence', 'Unique-ID', 'Caller-Caller-ID-Name'] as const
const address = { host: '127.0.0.1', port: Number(port), password: 'ClueCon' }
let start: NodeJS.CpuUsage | undefined
let events = 0

/** Counts an event; `true` at the last one. */
function isLast(): boolean {
  start ??= process.cpuUsage()
  events += 1
  return events === Number(amount)
}

function tell(facts: object = {}): void {
  const { user, system } = process.cpuUsage(start)
  process.send?.({ ms: (user + system) / 1000, ...facts }, () => process.exit(0))
}

function connection(onReady: (open: EslConnection) => void): void {
  const open = new EslConnection({
    ...address,
    timers: systemEslTimers,
    limits: defaultEslLimits,
    tally: { heardAt: 0, bytes: 0, events: 0, unreadableEvents: 0, lateReplies: 0, strayReplies: 0 },
    onReady: () => onReady(open),
    onEvent: (event) => {
      for (const name of names) event.header(name)
      if (isLast()) tell()
    },
    onUnreadable: (error) => {
      throw error
    },
    onEnd: (error) => {
      throw error
    },
  })
}

function bare(): void {
  openBareReader(Number(port), (headers) => {
    for (const name of names) void headers[name]
    if (isLast()) tell()
  })
}

function reply(): void {
  connection((open) => {
    const begin = performance.now()
    open.run(EslCommand.api(`bench ${amount}`), (answer) => {
      if (answer instanceof EslError) throw answer
      const ms = performance.now() - begin
      process.send?.({ ms, bytes: Buffer.byteLength(answer) }, () => process.exit(0))
    })
  })
}

async function path(wanted: string): Promise<void> {
  const { side, words, queued } = await wholePath(wanted)
  const finish = async () => {
    await side.flushed()
    tell({ ...queued, dropped: side.counters()['eventsDropped'] })
  }
  openEslSession({
    ...address,
    name: 'events',
    subscribe: words,
    onEvent: (event) => {
      const last = isLast()
      side.accept(event, 'bench')
      if (last) void finish()
    },
    onState: () => {},
  })
}

if (way === 'connector') connection((open) => open.run(EslCommand.event(['ALL']), () => {}))
else if (way === 'bare') bare()
else if (way === 'reply') reply()
else await path(way)
