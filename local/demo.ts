/**
 * `npm run demo`: the main job, step by step, against the running platform. Each step prints what it did and what came
 * back; the first that fails ends the walk with one sentence.
 */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { styleText } from 'node:util'
import * as z from 'zod/mini'
import { CallplaneError, Client, terminalText, verifyDelivery } from '../client/index.ts'
import { apiPort, dataDir } from '../contracts/settings/laptop.ts'
import { checkOnLaptop } from '../contracts/settings/setting.ts'
import { hasDemoProfile } from './platform/demo-profile.ts'
import { newcomerLines } from './platform/newcomer-lines.ts'
import { startProgress } from './platform/start-progress.ts'
import { guardTerminals } from './processes/guard-terminals.ts'
import { takeNoOptions } from './toolchain.mjs'
import { type Receiver, openReceiver } from './demo/receiver.ts'

const usage = `Walks the main job against the platform that \`npm start\` runs on this machine. With an engine of your own (ENGINE_URL), a phone of 1001
must be registered there and answer two calls.

  API_URL         the API's address; http://127.0.0.1:$PORT, PORT being 8080 unless set
  DATA_DIR        where the running platform keeps its state; .data unless set
  DEMO_USER       who to log in as; 1000@demo.example.com unless set
  DEMO_PASSWORD   that user's password; read from DATA_DIR unless set`

const hookBody = z.object({ action: z.string(), data: z.record(z.string(), z.string()) })

const env = process.env
const baseUrl = () => env['API_URL'] ?? `http://127.0.0.1:${checkOnLaptop(apiPort, env)}`
const username = env['DEMO_USER'] ?? '1000@demo.example.com'
const domain = username.slice(username.indexOf('@') + 1)

/** A new hook takes effect within this time. */
const hookDelayMs = 2000

/** The contract: a CDR is found within 60 s after the call's end. A recording is stored at about the same time. */
const foundWithinMs = 60_000
const lookAgainMs = 500

/** What is under way when the demo is stopped may take this long to end; then it is left behind. */
const stopWithinMs = 30_000
const stop = new AbortController()

/** Writes past the guard of the terminal: titles have a style, and texts are escaped here. */
const print = process.stdout.write.bind(process.stdout)
const progress = startProgress(process.stdout, Date.now())

let steps = 0

/** Shows a step that is done. Throws if the demo was stopped meanwhile; what the step made is already noted then. */
function step(title: string, ...lines: readonly string[]): void {
  stop.signal.throwIfAborted()
  steps += 1
  progress.end()
  print(`\n${styleText('bold', `${steps}. ${terminalText(title)}`, { stream: process.stdout })}\n`)
  for (const line of lines) {
    const isResult = line.startsWith('→')
    print(`   ${styleText(isResult ? 'green' : 'dim', terminalText(line), { stream: process.stdout })}\n`)
  }
}

function password(): string {
  if (env['DEMO_PASSWORD'] !== undefined) return env['DEMO_PASSWORD']
  const file = join(checkOnLaptop(dataDir, env), 'demo-accounts.json')
  if (!existsSync(file))
    throw new Error(`there is no ${file}: run npm start in another terminal first, or set DATA_DIR`)
  const passwords = z.parse(z.record(z.string(), z.string()), JSON.parse(readFileSync(file, 'utf8')))
  const found = passwords[username]
  if (found === undefined) throw new Error(`${file} has no password of ${username}: set DEMO_PASSWORD`)
  return found
}

async function authenticate(): Promise<Client> {
  const result = await new Client({ url: baseUrl() }).call('logIn', { body: { username, password: password() } })
  const until = new Date(result.expires).toISOString()
  step('Log in', `POST /login as ${username}`, `→ role ${result.roleName}, token until ${until}`)
  return new Client({ url: baseUrl(), token: result })
}

async function subscribe(client: Client, receiver: Receiver, left: AsyncDisposableStack): Promise<readonly string[]> {
  const action = { type: 'web' as const, method: 'POST', url: receiver.url }
  const hook = (event: string) => ({ event, action, description: 'demo' })
  const { data } = await client.call('createHooks', {
    query: { domain },
    body: [hook('CHANNEL_ANSWER'), hook('CHANNEL_HANGUP_COMPLETE')],
  })
  for (const hook_id of data.insertedIds)
    left.defer(() => remove(client.call('deleteHook', { params: { hook_id }, query: { domain } })))
  step(
    'Create hooks',
    `for CHANNEL_ANSWER and CHANNEL_HANGUP_COMPLETE, to ${receiver.url}`,
    `→ ${data.insertedIds.join(', ')}`,
  )
  progress.stage(`a new hook takes effect within ${hookDelayMs / 1000} s`)
  await pause(hookDelayMs, undefined, stop)
  return Object.values(data.secrets)
}

async function showEvent(
  title: string,
  receiver: Receiver,
  secrets: readonly string[],
  eventName: string,
): Promise<void> {
  const request = await receiver.next(eventName, stop.signal)
  if (!(await verifyDelivery(request, { secret: secrets }))) {
    throw new Error(`the signature of ${eventName} does not verify`)
  }
  const { data } = z.parse(hookBody, JSON.parse(request.body))
  const cause = data['Hangup-Cause'] === undefined ? '' : `, cause ${data['Hangup-Cause']}`
  step(
    title,
    `${eventName} of ${data['Unique-ID'] ?? 'no call'}${cause}`,
    `webhook-id ${String(request.headers['webhook-id'])}`,
    'signature verified with the secret of the hook',
  )
}

async function placeCall(client: Client, left: AsyncDisposableStack): Promise<string> {
  const { info } = await client.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
  const uuid = info.replace(/^\+OK\s+/, '').trim()
  left.defer(() => remove(client.call('hangUpChannel', { params: { channel_id: uuid } })))
  step('Place a call', 'POST /api/v2/channels, from 1001 to 9196 (echo)', `→ ${info.trim()}`)
  return uuid
}

/** Removes something that the demo made; what is gone already is fine. */
async function remove(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!(error instanceof CallplaneError) || error.status !== 404) throw error
  })
}

async function showChannel(client: Client, uuid: string): Promise<void> {
  const { data } = await client.call('listChannels')
  const row = data.rows.find((candidate) => candidate['uuid'] === uuid)
  if (row === undefined) throw new Error(`the channel list does not hold ${uuid}`)
  step('List the channel', 'GET /api/v2/channels', `→ ${uuid} to ${row['dest']} is ${row['callstate']}`)
}

async function hold(client: Client, title: string, channel_id: string, state: 'hold' | 'unhold'): Promise<void> {
  const { info } = await client.call('holdChannel', { params: { channel_id }, body: { state } })
  step(title, `PUT /api/v2/channels/${channel_id} ${JSON.stringify({ state })}`, `→ ${info.trim()}`)
}

async function hangUp(client: Client, channel_id: string): Promise<void> {
  const { info } = await client.call('hangUpChannel', { params: { channel_id } })
  step('Hang up', `DELETE /api/v2/channels/${channel_id}`, `→ ${info.trim()}`)
}

async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const until = Date.now() + foundWithinMs
  progress.stage(`waiting for ${what}`)
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    if (Date.now() > until) throw new Error(`${what} is not there after ${foundWithinMs / 1000} s`)
    await pause(lookAgainMs, undefined, stop)
  }
}

async function showCdr(client: Client, uuid: string): Promise<void> {
  const columns = ['created_time', 'caller_id_number', 'destination_number', 'duration', 'hangup_cause']
  const body = { query: `uuid:"${uuid}"`, columns }
  const hit = await eventually('the CDR of the call', async () => {
    const { hits } = await client.call('searchCdrs', { query: { domain }, body })
    return hits.hits[0]
  })
  const shown = columns.map((column) => `${column} ${hit.fields?.[column]?.join(', ') ?? '(none)'}`)
  step('The CDR is found', `POST /api/v2/cdr/text ${JSON.stringify({ query: body.query })}`, `→ ${shown.join(' · ')}`)
}

/** Any engine that asks the platform for routes records this call; the route is removed when its recording is there. */
async function recordCall(client: Client, left: AsyncDisposableStack): Promise<void> {
  const callflow = [
    { answer: '' },
    { recordSession: '' },
    { playback: { tone: '%(2000,0,440)', loops: 1 } },
    { hangup: '' },
  ]
  const route = { destination_number: '5000', name: 'Demo: record 2 s of tone', callflow }
  const { _id: route_id } = await client.call('createDefaultRoute', { body: route })
  left.defer(() => remove(client.call('deleteDefaultRoute', { params: { route_id } })))
  step('Make a route that records', `POST /api/v2/routes/default ${JSON.stringify(route)}`, `→ ${route_id}`)
  const { info } = await client.call('originateCall', { body: { callerId: '1001', calledId: '5000' } })
  const uuid = info.replace(/^\+OK\s+/, '').trim()
  left.defer(() => remove(client.call('deleteRecordings', { params: { uuid }, query: { domain } })))
  left.defer(() => remove(client.call('hangUpChannel', { params: { channel_id: uuid } })))
  step('Place a call that is recorded', 'POST /api/v2/channels, from 1001 to 5000', `→ ${info.trim()}`)
  await downloadRecording(client, uuid)
}

async function downloadRecording(client: Client, uuid: string): Promise<void> {
  const stored = await eventually('the recording of the call', async () => {
    const recordings = await client.call('readRecording', { params: { uuid }, query: { domain, type: 'all' } })
    return Array.isArray(recordings) ? recordings.find(({ status }) => status === 'stored') : undefined
  })
  // The client fetches the link without the credential: the object store is another host.
  const response = await client.recording(uuid, { query: { domain, file_name: 'demo.wav' } })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (bytes.length !== stored.size || bytes.toString('latin1', 0, 4) !== 'RIFF') {
    throw new Error(`the link gave ${bytes.length} bytes that are not the recording`)
  }
  step(
    'The recording is downloaded',
    `GET /cdr/api/v2/files/${uuid}, then the link in its answer, without the credential`,
    `→ ${stored.name}, ${bytes.length} bytes of ${response.headers.get('content-type') ?? 'no type'}`,
  )
}

/** Walks all steps. `left` removes what they made, in the other order. */
async function walk(left: AsyncDisposableStack): Promise<void> {
  const receiver = await openReceiver()
  left.defer(() => receiver.close())
  const client = await authenticate()
  const secrets = await subscribe(client, receiver, left)
  const uuid = await placeCall(client, left)
  await showEvent('The event arrived', receiver, secrets, 'CHANNEL_ANSWER')
  await showChannel(client, uuid)
  await hold(client, 'Hold', uuid, 'hold')
  await hold(client, 'Unhold', uuid, 'unhold')
  await hangUp(client, uuid)
  await showEvent('The end of the call arrived', receiver, secrets, 'CHANNEL_HANGUP_COMPLETE')
  await showCdr(client, uuid)
  await recordCall(client, left)
}

async function longAfterStop(): Promise<void> {
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  await pause(stopWithinMs, undefined, { ref: false })
}

/** Walks until the end, a failure or a signal to stop, and removes what was made in each case. */
async function walkAndCleanUp(): Promise<void> {
  const startedAt = Date.now()
  const left = new AsyncDisposableStack()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => stop.abort(new Error('it was stopped')))
  try {
    await Promise.race([walk(left), longAfterStop()])
  } finally {
    progress.end()
    await left.disposeAsync()
    stop.signal.throwIfAborted()
  }
  step('Clean up', 'DELETE the hooks, the route and the recording', '→ only the records of the two calls are left')
  print(`\nall steps done in ${Math.round((Date.now() - startedAt) / 1000)} s\n\n`)
  print(`${newcomerLines(baseUrl(), hasDemoProfile(baseUrl())).join('\n')}\n`)
}

takeNoOptions('npm run demo', usage)
guardTerminals()
await walkAndCleanUp().catch((error: unknown) => {
  const cause = error instanceof Error ? error.message : String(error)
  const isAway = error instanceof CallplaneError && error.code === 'unreachable'
  const noPhone = cause.includes('USER_NOT_REGISTERED') ? ': register a phone of 1001 that answers at the engine' : ''
  const wayOut = () => `no platform answers at ${baseUrl()}: run npm start in another terminal`
  console.error(`\ndemo failed: ${isAway ? wayOut() : cause + noPhone}`)
  process.exitCode = 1
})
