import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as esbuild from 'esbuild'
import * as z from 'zod/mini'
import type { AdapterContext } from '../adapters/context.ts'
import { systemRandomness } from '../adapters/crypto/system-randomness.ts'
import { getItem } from '../adapters/dynamodb/client.ts'
import { s3RecordingFiles } from '../adapters/s3/s3-file-store.ts'
import { sendMessage } from '../adapters/sqs/client.ts'
import { systemClock } from '../adapters/system/system-time.ts'
import { environment } from '../contracts/environment.ts'
import { buckets, queues, searchDomains, tables } from '../contracts/resources.ts'
import { writeToken } from '../functions/endpoint/token-text.ts'
import { bundle, functionOptions } from '../lib/bundle.ts'
import { type BareRequest, bareRequest } from './bare-request.ts'
import { type Figures, percentile } from './figures.ts'
import { temporaryState } from './platform.ts'

/** Cold processes of each bundle, one after another in turns. */
const processes = 12
/** Calls whose CPU is measured at a time, and how often. */
const calls = 1_000
const rounds = 5

/** An endpoint for each set of clients: the store alone, and with it the queues, the objects or the search. */
const endpoints = {
  Plain: 'blacklists/list-blacklists',
  Queue: 'channels/hang-up-channel',
  Objects: 'recordings/read-recording',
  Search: 'cdr/search-cdrs',
} as const

/**
 * Measures what the clients of services cost: import and first call of a cold process, and the CPU of a call, each over
 * those of a bare signed request in the same run. The services answer at once, in a process of their own.
 */
export async function benchClients(): Promise<Figures> {
  const state = temporaryState()
  const services = fork(new URL('clients/answering-services.ts', import.meta.url))
  try {
    const [message] = await once(services, 'message')
    const env = environmentOf(z.parse(z.object({ url: z.string() }), message).url)
    return { ...(await coldStarts(state.path, env, services)), ...(await cpuOfCalls(env)) }
  } finally {
    services.kill()
    await once(services, 'exit')
    state.remove()
  }
}

function environmentOf(url: string): Readonly<Record<string, string>> {
  const { dynamodbEndpoint, sqsEndpoint, s3Endpoint, kmsEndpoint, secretsEndpoint } = environment
  const resources = [...Object.values(tables), ...Object.values(queues), ...Object.values(buckets)]
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    // As in Lambda, where endpoints are made while they load.
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    [searchDomains.cdr.variable]: url,
    ...Object.fromEntries(
      [dynamodbEndpoint, sqsEndpoint, s3Endpoint, kmsEndpoint, secretsEndpoint].map((name) => [name, url]),
    ),
    ...Object.fromEntries(resources.map(({ variable }) => [variable, variable.toLowerCase()])),
  }
}

/** The SDK's clients that a plain endpoint has, and the modules that make them. */
const replaced = /^@aws-sdk\/(client-dynamodb|lib-dynamodb|client-secrets-manager)$|\/(dynamodb|secrets)-client\.ts$/

const signedStore: esbuild.Plugin = {
  name: 'signed-store',
  setup: (build) =>
    build.onResolve({ filter: replaced }, () => ({ path: join(process.cwd(), 'bench/clients/signed-store.ts') })),
}

/**
 * Returns the medians of the time from loading a bundle to its first answer: of a bare signed request, of one call
 * through the store's client, of endpoints, which make several calls at once, and of the plain endpoint with bare
 * signed requests in place of the client.
 */
async function coldStarts(
  folder: string,
  env: Readonly<Record<string, string>>,
  services: ChildProcess,
): Promise<Figures> {
  const source = process.cwd()
  const bundles = join(folder, 'bundles')
  await bundle({ source, target: bundles })
  await esbuild.build({
    ...functionOptions(source),
    entryPoints: ['bench/clients/bare-call.ts', 'bench/clients/client-call.ts'],
    outdir: folder,
    write: true,
  })
  const options = functionOptions(source)
  await esbuild.build({
    ...options,
    plugins: [...options.plugins, signedStore],
    entryPoints: [{ in: join(source, 'functions', `${endpoints.Plain}.ts`), out: 'signed-endpoint' }],
    outdir: folder,
    write: true,
  })
  const files = {
    Signed: join(folder, 'signed-endpoint.cjs'),
    Bare: join(folder, 'bare-call.cjs'),
    Client: join(folder, 'client-call.cjs'),
    ...Object.fromEntries(
      Object.entries(endpoints).map(([kind, name]) => [kind, join(bundles, 'functions', name, 'index.cjs')]),
    ),
  }
  const samples = new Map<string, FirstCall[]>()
  for (let number = 0; number < processes; number += 1) {
    for (const [kind, file] of Object.entries(files)) {
      const before = await answeredBy(services)
      samples.set(kind, [...(samples.get(kind) ?? []), await firstCall(file, env)])
      if ((await answeredBy(services)) === before) throw new Error(`${file} called no service`)
    }
  }
  const median = (kind: string, part: (call: FirstCall) => number = ({ loadMs, callMs }) => loadMs + callMs) =>
    percentile((samples.get(kind) ?? []).map(part), 0.5)
  const compared = ['Client', ...Object.keys(endpoints)]
  return {
    ...Object.fromEntries(['Bare', 'Client', 'Signed', 'Plain'].map((kind) => [`cold${kind}Ms`, median(kind)])),
    ...Object.fromEntries(
      ['Bare', 'Client', 'Plain'].map((kind) => [`cold${kind}LoadMs`, median(kind, ({ loadMs }) => loadMs)]),
    ),
    ...Object.fromEntries(compared.map((kind) => [`cold${kind}Ratio`, median(kind) / median('Bare')])),
    coldPlainToClientRatio: median('Plain') / median('Client'),
    coldPlainToSignedRatio: median('Plain') / median('Signed'),
  }
}

async function answeredBy(services: ChildProcess): Promise<number> {
  const reply = once(services, 'message')
  services.send('count')
  return z.parse(z.object({ answered: z.number() }), (await reply)[0]).answered
}

const firstCallShape = z.object({ loadMs: z.number(), callMs: z.number() })

type FirstCall = z.output<typeof firstCallShape>

async function firstCall(file: string, env: Readonly<Record<string, string>>): Promise<FirstCall> {
  const key = systemRandomness.uuid()
  const claims = { username: '1000@a.example.com', domain: 'a.example.com', key }
  const token = writeToken(claims, systemRandomness.bytes(32))
  const child = spawn(process.execPath, ['bench/clients/first-call.mjs', file, token, key], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  // The log of the request comes first.
  return z.parse(firstCallShape, JSON.parse(printed.trim().split('\n').at(-1) ?? ''))
}

/**
 * CPU milliseconds of this process for a call of each client and for the bare request of the same bytes; the medians.
 */
async function cpuOfCalls(env: Readonly<Record<string, string>>): Promise<Figures> {
  const context: AdapterContext = { env, clock: systemClock, random: systemRandomness }
  const files = s3RecordingFiles(context)
  const TableName = tables.accounts.variable.toLowerCase()
  const Key = { pk: 'bench-item', sk: 'bench-item' }
  const MessageBody = 'x'.repeat(1_000)
  const plainKey = { pk: { S: 'bench-item' }, sk: { S: 'bench-item' } }
  const store = { TableName, Key: plainKey, ConsistentRead: true }
  const message = { QueueUrl: queues.exports.variable.toLowerCase(), MessageBody }
  const ofStore = await compared(
    () => getItem(context, TableName, Key),
    () => bareCall(env, { service: 'dynamodb', target: 'DynamoDB_20120810.GetItem', input: store }),
  )
  const ofQueue = await compared(
    () => sendMessage(context, 'exports', { MessageBody }),
    () => bareCall(env, { service: 'sqs', target: 'AmazonSQS.SendMessage', input: message }),
  )
  const ofObjects = await compared(
    () => files.head('bench-item'),
    () => bareCall(env, { service: 's3', target: 'none', input: {} }),
  )
  return {
    storeCallCpuMs: ofStore.cpuMs,
    storeCallCpuRatio: ofStore.ratio,
    queueCallCpuMs: ofQueue.cpuMs,
    queueCallCpuRatio: ofQueue.ratio,
    objectCallCpuMs: ofObjects.cpuMs,
    objectCallCpuRatio: ofObjects.ratio,
  }
}

async function bareCall(
  env: Readonly<Record<string, string>>,
  { service, target, input }: { readonly service: string; readonly target: string; readonly input: object },
): Promise<void> {
  const request: BareRequest = {
    service,
    endpoint: env[environment.dynamodbEndpoint] ?? '',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
    body: JSON.stringify(input),
  }
  const { status, body } = await bareRequest(env, request)
  JSON.parse(body)
  if (status !== 200) throw new Error(`the services answered ${status}`)
}

async function compared(
  call: () => Promise<unknown>,
  bare: () => Promise<unknown>,
): Promise<{ readonly cpuMs: number; readonly ratio: number }> {
  const [byClient, byBare]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    byBare.push(await cpuMsOf(bare))
    byClient.push(await cpuMsOf(call))
  }
  // Nothing is compiled in the first round.
  const [cpuMs, bareMs] = [byClient, byBare].map((samples) => percentile(samples.slice(1), 0.5))
  return { cpuMs: cpuMs ?? Number.NaN, ratio: (cpuMs ?? Number.NaN) / (bareMs ?? Number.NaN) }
}

async function cpuMsOf(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let number = 0; number < calls; number += 1) await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / calls
}
