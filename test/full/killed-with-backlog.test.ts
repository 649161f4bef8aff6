import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { clientOf } from '../support/platform/checked-client.ts'
import { openReceiver } from '../../local/demo/receiver.ts'
import { systemTimers } from '../../adapters/system/system-time.ts'
import { pause } from '../../core/concurrency/timers.ts'
import type { RunningCommand } from '../support/platform/command.ts'
import { type EngineSocket, openEngineSocket } from '../support/engine/engine-socket.ts'
import { runStart, temporaryState } from '../support/platform/start-command.ts'

const domain = 'demo.example.com'
const subclass = 'engine::backlog'
/** More than functions work off before the platform ends. */
const sent = 3000
/** After so many readings of the list without a new event, half a second apart, what is missing is lost. */
const roundsWithoutEvent = 60

let state: ReturnType<typeof temporaryState>
let running: RunningCommand | undefined
/** The password of the demo's admin, which only the first start prints. */
let password: string
/** When each event was sent, by its number, epoch milliseconds. */
let sentAt: number[]

beforeEach(() => {
  state = temporaryState()
  sentAt = []
})

afterEach(async () => {
  running?.child.kill('SIGTERM')
  await running?.ended()
  state.remove()
})

/** Starts the platform's own command, and signs in as the demo's admin. */
async function start(): Promise<{ readonly command: RunningCommand; readonly admin: Client }> {
  const command = await runStart({ DATA_DIR: state.path })
  running = command
  const [, url = ''] = await command.printed(/is up on (http:\S+)/)
  await command.printed(/npm run demo/)
  password = command.output().match(/1000@demo\.example\.com {3}(\w{24})/)?.[1] ?? password
  const token = await clientOf(url).call('logIn', { body: { username: `1000@${domain}`, password } })
  return { command, admin: clientOf(url, token) }
}

/** Sends numbered events through the engine, and resolves with the first delivery, while the others wait. */
async function sendBacklog(engine: EngineSocket, admin: Client): Promise<void> {
  const receiver = await openReceiver()
  const event = `CUSTOM->${subclass}`
  await admin.call('createHooks', { body: { event, action: { type: 'web', method: 'POST', url: receiver.url } } })
  const inForce = receiver.next(event)
  const probe = setInterval(() => engine.sendEvent(subclass, domain), 50)
  await inForce.finally(() => clearInterval(probe))
  const first = receiver.next(event)
  for (let number = 0; number < sent; number += 1) {
    sentAt.push(Date.now())
    engine.sendEvent(subclass, domain, { name: 'Backlog-Number', value: String(number) })
  }
  await first
  await receiver.close()
}

/** Reads the whole list of events: the numbers of those that are there, and the times of gaps. */
async function readEvents(admin: Client) {
  const numbers = new Set<number>()
  const gaps: { readonly reason: string; readonly from: number; readonly to: number }[] = []
  for (let since = 0, more = true; more; ) {
    const { data } = await admin.call('listEvents', { query: { domain, since: String(since), limit: 1000 } })
    for (const { event } of data.events) numbers.add(Number(event['Backlog-Number']))
    gaps.push(...data.gaps.flatMap((gap) => (gap.kind === 'time' ? [gap] : [])))
    ;({ next: since, more } = data)
  }
  return { numbers, gaps }
}

/**
 * Lets a platform end in some way while events wait, and starts it again. Returns how it ended and what the list says
 * then.
 */
async function endWithBacklog(end: (command: RunningCommand) => Promise<void>) {
  const { command, admin } = await start()
  const [, port] = await command.printed(/event socket on port (\d+)/)
  const engine = await openEngineSocket(Number(port))
  await sendBacklog(engine, admin)
  await end(command)
  const { status } = await command.ended()
  await engine.close()
  const next = await start()
  // Queues that were kept before the end are worked off now, however slowly; what was lost stays away.
  let seen = await readLosses(next.admin)
  for (let idle = 0; seen.silent.length > 0 && idle < roundsWithoutEvent; ) {
    await pause(systemTimers, 500)
    const now = await readLosses(next.admin)
    idle = now.silent.length < seen.silent.length ? 0 : idle + 1
    seen = now
  }
  console.info(`${seen.lost.length} of ${sent} events lost, ${seen.silent.length} of them outside of every gap`)
  return { status, output: next.command.output(), ...seen }
}

/** Returns when the events were sent that the list lacks, and those of them that lie in no gap. */
async function readLosses(admin: Client) {
  const { numbers, gaps } = await readEvents(admin)
  const lost = sentAt.filter((_, number) => !numbers.has(number))
  const silent = lost.filter(
    (at) => !gaps.some(({ reason, from, to }) => reason !== 'no_hook' && from <= at && at <= to),
  )
  return { lost, silent, reasons: new Set(gaps.map(({ reason }) => reason)) }
}

it('every event that a killed platform loses with its queues lies in a recorded gap', async () => {
  const { output, silent, reasons } = await endWithBacklog(async ({ child }) => {
    process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
  })

  expect([silent, reasons.has('events_dropped')]).toEqual([[], true])
  expect(output).toMatch(/not stopped in order: events since \S+ may be lost/)
})

it('every event that a second Ctrl-C loses lies in a recorded gap', async () => {
  const { status, silent } = await endWithBacklog(async (command) => {
    command.interrupt()
    await command.printed(/stopping/)
    // The same key press arrives by several ways, so only an interrupt that comes later counts as the second.
    const pressing = setInterval(() => command.child.kill('SIGINT'), 250)
    await command.ended().finally(() => clearInterval(pressing))
  })

  expect([status, silent]).toEqual([1, []])
})

it('a platform that is stopped by one Ctrl-C in its terminal keeps every waiting event', async () => {
  const { status, lost } = await endWithBacklog(async (command) => {
    command.interrupt()
    await command.ended()
  })

  expect([status, lost]).toEqual([0, []])
})
