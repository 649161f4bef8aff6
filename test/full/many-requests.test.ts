import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { clientOf } from '../support/platform/checked-client.ts'
import { type Receiver, openReceiver } from '../../local/demo/receiver.ts'
import type { RunningCommand } from '../support/platform/command.ts'
import { type Credential, failuresOf, madeUpToken, residentMb } from '../support/platform/many-requests.ts'
import { runStart, temporaryState } from '../support/platform/start-command.ts'

/** The tenant that every platform has, whose phones are there. */
const domain = 'demo.example.com'
const event = 'CHANNEL_HANGUP_COMPLETE'

let state: ReturnType<typeof temporaryState>
let platform: RunningCommand
let receiver: Receiver
let url: string
let client: Client
let credential: Credential

beforeAll(async () => {
  state = temporaryState()
  receiver = await openReceiver()
  platform = await runStart({ DATA_DIR: state.path })
  const [, password = ''] = await platform.printed(/1000@demo\.example\.com {3}(\w{24})/)
  url = (await platform.printed(/is up on (http:\S+)/))[1] ?? ''
  const token = await clientOf(url).call('logIn', { body: { username: `1000@${domain}`, password } })
  client = clientOf(url, token)
  credential = { 'x-key': token.key, 'x-access-token': token.token }
  await client.call('createHooks', { body: { event, action: { type: 'web', method: 'POST', url: receiver.url } } })
})

afterAll(async () => {
  platform.child.kill('SIGINT')
  await platform.ended()
  await receiver.close()
  state.remove()
})

const call = () => client.call('originateCall', { body: { callerId: '1000', calledId: '9199' } })

/** Places calls one after another until a signal; returns how many. */
async function placeCalls(until: AbortSignal): Promise<number> {
  let placed = 0
  for (; !until.aborted; placed += 1) await call()
  return placed
}

/** Whether the list has the end of a call. */
async function hasEnded(uuid: string): Promise<boolean> {
  for (let since = 0, more = true; more; ) {
    const { data } = await client.call('listEvents', { query: { since: String(since), limit: 1000 } })
    if (data.events.some(({ event: { 'Unique-ID': id, 'Event-Name': name } }) => id === uuid && name === event))
      return true
    ;({ next: since, more } = data)
  }
  return false
}

// All processes together took 597 MB after the requests, and 634 MB at most, on a busy machine of two cores.
it('no operation fails when each is sent 24 times at once, with and without credentials, during calls and within 700 MB', async () => {
  // Loads all functions: the simulated engine waits 3 s for its directory, and a machine that is busy otherwise needs
  // more.
  await failuresOf(url, {}, 1)
  const over = new AbortController()
  const crowds = [{}, madeUpToken(domain), credential].map((each) => failuresOf(url, each))
  const failures = Promise.all(crowds).finally(() => over.abort())

  const [placed] = await Promise.all([placeCalls(over.signal), failures])
  const memoryMb = residentMb(state.path)

  expect((await failures).flat()).toEqual([])
  expect(placed).toBeGreaterThan(0)
  expect(memoryMb).toBeLessThanOrEqual(700)
  expect(readFileSync(join(state.path, 'logs/functions.log'), 'utf8')).not.toContain('OUT_OF_MEMORY')
  const [, uuid = ''] = /^\+OK (\S+)/.exec((await call()).info) ?? expect.fail()
  await receiver.next(event)
  // Nothing of the requests is left: the events of its calls were handled, and memory was given back.
  await expect.poll(() => hasEnded(uuid), { timeout: 300_000, interval: 1000 }).toBe(true)
  expect(residentMb(state.path)).toBeLessThanOrEqual(700)
})
