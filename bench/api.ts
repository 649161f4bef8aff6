import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import type { Client } from '../client/index.ts'
import { measuredClient } from './tenant.ts'
import { type Receiver, openReceiver } from '../local/demo/receiver.ts'
import { type Figures, percentile } from './figures.ts'
import { type BenchPlatform, startPlatform, temporaryState } from './platform.ts'

const reads = 500
const calls = 40
const events = 300
const warmUps = 20

/** One request after another on an idle platform: a read, an originate, and an event's way to a hook. */
export async function benchApi(): Promise<Figures> {
  const state = temporaryState()
  const platform = await startPlatform(state.path)
  const receiver = await openReceiver()
  try {
    const client = await authenticate(platform)
    const engine = await openEngine(platform.enginePort)
    const readMs = await samples(reads, () => client.call('readAccount', { params: { account_id: '1001' } }))
    const { originateMs, commandMs } = await originates(client, engine)
    const eventToHookMs = await eventsToHook(client, engine, receiver)
    engine.destroy()
    return {
      readP50Ms: percentile(readMs, 0.5),
      readP99Ms: percentile(readMs, 0.99),
      originateP50Ms: percentile(originateMs, 0.5),
      originateP99Ms: percentile(originateMs, 0.99),
      originateToEngineP50Ms: percentile(commandMs, 0.5),
      originateToEngineP99Ms: percentile(commandMs, 0.99),
      eventToHookP50Ms: percentile(eventToHookMs, 0.5),
      eventToHookP99Ms: percentile(eventToHookMs, 0.99),
      memoryBusyMb: platform.memoryMb(),
    }
  } finally {
    await receiver.close()
    await platform.stop()
    state.remove()
  }
}

async function authenticate(platform: BenchPlatform): Promise<Client> {
  const username = '1000@demo.example.com'
  const client = measuredClient(platform.baseUrl, username, platform.password(username))
  await client.call('whoAmI')
  return client
}

async function samples(count: number, act: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let turn = -warmUps; turn < count; turn += 1) {
    const startedAt = performance.now()
    await act()
    if (turn >= 0) taken.push(performance.now() - startedAt)
  }
  return taken
}

/** An event socket of the benchmark's own, logged in. The engine's bytes are only searched, never parsed. */
async function openEngine(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  await reply(socket, 'auth ClueCon', '+OK accepted')
  await reply(socket, 'event plain CHANNEL_CREATE', '+OK event listener enabled')
  return socket
}

async function reply(socket: Socket, command: string, expected: string): Promise<void> {
  const seen = appearance(socket, expected)
  socket.write(`${command}\n\n`)
  await seen
}

function appearance(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    let tail = ''
    const look = (chunk: Buffer) => {
      tail = (tail + chunk.toString('latin1')).slice(-65_536)
      if (!tail.includes(text)) return
      socket.off('data', look)
      resolve()
    }
    socket.on('data', look)
  })
}

/** From the request to the engine's CHANNEL_CREATE, and to the answer (the simulated phone rings for 200 ms). */
async function originates(client: Client, engine: Socket): Promise<{ originateMs: number[]; commandMs: number[] }> {
  const commandMs: number[] = []
  const originateMs = await samples(calls, async () => {
    const startedAt = performance.now()
    const created = appearance(engine, 'CHANNEL_CREATE').then(() => commandMs.push(performance.now() - startedAt))
    const { info } = await client.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
    await created
    await client.call('hangUpChannel', { params: { channel_id: info.replace('+OK ', '').trim() } })
  })
  return { originateMs, commandMs: commandMs.slice(warmUps) }
}

/** From `sendevent` at the engine to the request at the receiver, one event at a time. */
async function eventsToHook(client: Client, engine: Socket, receiver: Receiver): Promise<number[]> {
  const subclass = 'engine::bench'
  const name = `CUSTOM->${subclass}`
  await client.call('createHooks', {
    body: { event: name, action: { type: 'web', method: 'POST', url: receiver.url } },
  })
  const send = () => engine.write(`sendevent CUSTOM\nEvent-Subclass: ${subclass}\nEvent-Domain: demo.example.com\n\n`)
  // A new hook takes effect within two seconds: the first event is repeated until it gets through.
  const resend = setInterval(send, 500)
  await receiver.next(name)
  clearInterval(resend)
  return samples(events, async () => {
    const arrived = receiver.next(name)
    send()
    await arrived
  })
}
