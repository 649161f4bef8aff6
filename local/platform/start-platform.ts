import { retryDeps } from '../../adapters/system/system-time.ts'
import { environment } from '../../contracts/environment.ts'
import { routes } from '../../contracts/routes/index.ts'
import {
  type Assembly,
  FunctionHosts,
  Gate,
  Gateway,
  type Machine,
  type Place,
  type QueueStore,
  RouteTable,
  freePort,
  laptop,
  openLog,
  programsFor,
  readAssembly,
  startMappings,
  startSchedules,
  thisMachine,
} from '@callplane/laptop'
import type { ConnectorProcess } from '../connector/connector-process.ts'
import { type DataFolder, openDataFolder } from '../data/data-folder.ts'
import { type KeptSecrets, readSecrets } from '../data/kept-secrets.ts'
import { takeLock } from '../data/lock.ts'
import type { SimulatedEngine } from '@callplane/simulated-freeswitch'
import { npmCommand } from '../processes/npm-command.mjs'
import { sendRecordings } from '../recordings/send-recordings.ts'
import type { Settings } from '../settings/settings.ts'
import { ensureAssembly } from '../synthesis/ensure-assembly.ts'
import { keepAssembly } from '../synthesis/keep-assembly.ts'
import { awaitHealth } from './await-health.ts'
import { batchesAtOnce } from './batches-at-once.ts'
import { contractRefusal } from './contract-refusal.ts'
import { crossOriginFor, linkCrossOriginOf } from './cross-origin.ts'
import { type DemoAccounts, type Root, allAccounts, asRoot, ensureDemo } from './first-data.ts'
import { functionEnvironment, sharedEnvironment } from './local-environment.ts'
import { beginQueues } from './begin-queues.ts'
import { byTenant } from './message-groups.ts'
import { ownPorts } from './own-ports.ts'
import { publicUrl } from './public-url.ts'
import { platformRole } from './platform-context.ts'
import { routeTraits } from './route-traits.ts'
import { runPreparations } from './run-preparations.ts'
import { type RunningConnector, startConnector } from './start-connector.ts'
import { type RunningEngine, startEngine } from './start-engine.ts'
import { startStores } from './start-stores.ts'
import { EngineWatch } from './watch-engines.ts'

/** The running platform. */
export interface Platform {
  readonly url: string
  readonly folder: DataFolder
  readonly kept: KeptSecrets
  readonly demo: DemoAccounts
  readonly assembly: Assembly
  readonly gate: Gate
  readonly storesUrl: string
  readonly connector: ConnectorProcess
  /** Absent when `ENGINE_URL` names others. */
  readonly engine: SimulatedEngine | undefined
  /** Stops everything: the work under way first, the lock last. */
  stop(): Promise<void>
}

/** The inputs of a start in addition to the settings. */
export interface StartOptions {
  readonly root: string
  readonly settings: Settings
  readonly progress: (line: string) => void
  readonly notice: (line: string) => void
  /** Aborts the start; everything that was started is stopped. */
  readonly signal: AbortSignal
  /** The machine whose embedded DynamoDB is wanted; this one if absent. */
  readonly machine?: Machine
}

/** How long functions work on when the platform stops. What is left then is kept for the next start. */
const patienceMs = 5000

/**
 * Starts the whole platform and waits until it is healthy, or lacks nothing but an engine. When any part fails, all
 * others are ended again and the failure is thrown: a `PlainError` where a person can do something about it.
 */
export async function startPlatform(options: StartOptions): Promise<Platform> {
  const { settings, root, progress, notice, signal, machine = thisMachine } = options
  await using closing = new AsyncDisposableStack()
  const folder = openDataFolder(settings.dataDir)
  const lock = await takeLock(folder.path)
  closing.defer(() => lock.release())
  const kept = readSecrets(folder, settings)
  const gateway = new Gateway({ refuse: contractRefusal })
  const url = publicUrl(await gateway.open(settings.host, settings.port))
  closing.defer(() => gateway.close())
  const engine = await startEngine({ settings, folder, apiUrl: url, kept })
  closing.defer(() => engine.close())
  const directory = keepAssembly(await ensureAssembly(root, progress, signal), folder)
  progress('starting stores, functions and connector')
  const gate = new Gate()
  const place = { ...laptop, publicUrl: url, storesUrl: await gate.open() }
  closing.defer(() => gate.close())
  const assembly = readAssembly(directory, place)
  const programs = programsFor(root, machine, { progress, signal, npm: npmCommand })
  const { backends, queues, urls } = await startStores(assembly, { settings, folder, kept, programs, closing })
  gate.serve(place, [...assembly.roles, platformRole], backends)
  signal.throwIfAborted()
  const storeUrls = [place.storesUrl, ...urls]
  const running = { assembly, place, gate, gateway, folder, kept, engine, settings, queues, storeUrls, closing }
  const connector = await runAssembly(running)
  signal.throwIfAborted()
  await awaitHealth({ connector: connector.healthUrl, api: `${url}/health` }, folder.file('logs'), signal)
  const watch = new EngineWatch(connector.healthUrl, notice)
  closing.defer(() => watch.stop())
  await watch.start()
  const ensureAll = async (client: Root): Promise<DemoAccounts> => {
    const made = await ensureDemo(client, folder)
    for (const { login, domain } of await allAccounts(client)) await engine.simulated?.registerPhone(login, domain)
    return made
  }
  const demo = await asRoot(url, kept.rootPassword, ensureAll, { ...retryDeps, signal })
  const parts = closing.move()
  const stop = (): Promise<void> => parts.disposeAsync()
  const { storesUrl } = place
  return {
    url,
    folder,
    kept,
    demo,
    assembly,
    gate,
    storesUrl,
    connector: connector.process,
    engine: engine.simulated,
    stop,
  }
}

interface Parts {
  readonly assembly: Assembly
  readonly place: Place
  readonly gate: Gate
  readonly gateway: Gateway
  readonly folder: DataFolder
  readonly kept: KeptSecrets
  readonly engine: RunningEngine
  readonly settings: Settings
  readonly queues: QueueStore['run']
  readonly storeUrls: readonly string[]
  readonly closing: AsyncDisposableStack
}

/** Starts what runs code: functions, mappings, connector. They end in the other order, the gateway before them all. */
async function runAssembly(parts: Parts): Promise<RunningConnector> {
  const { assembly, place, gate, gateway, folder, kept, engine, settings, queues, storeUrls, closing } = parts
  const log = openLog(folder.file('logs/functions.log'))
  closing.defer(() => void log.end())
  const healthPort = await freePort()
  const closedPorts = ownPorts([...engine.addresses, { port: healthPort }], storeUrls)
  const host = new FunctionHosts(assembly.functions, lookupArns(assembly), {
    environmentOf: (definition) =>
      functionEnvironment(definition, settings, {
        ...sharedEnvironment(settings, place.storesUrl, gate.issue(definition.roleArn)),
        [environment.s3LinkOrigin]: place.publicUrl,
        [environment.ownPorts]: closedPorts,
      }),
    log,
  })
  closing.defer(() => host.close())
  const notes = await runPreparations(assembly, host)
  // The embedded store keeps its records; for a real one the user should know what it does.
  if (settings.openSearchUrl !== undefined) for (const note of notes) console.warn(note)
  const names = new Map(assembly.functions.map(({ arn, name }) => [arn, name]))
  const targets = assembly.routes.map(({ key, functionArn }) => ({ key, target: names.get(functionArn) ?? '' }))
  const crossOrigin = crossOriginFor(settings.allowedOrigins) ?? assembly.crossOrigin
  gateway.serve({
    table: new RouteTable(targets),
    invoke: (name, event) => host.invoke(name, event),
    crossOrigin,
    linkCrossOrigin: linkCrossOriginOf(crossOrigin),
    routes: routeTraits(routes),
    answerLink: (request, response) => gate.answerLink(request, response),
  })
  if (queues !== undefined) {
    for (const notice of await beginQueues(assembly, queues, { place, gate, settings })) console.warn(notice)
  }
  const mappings = startMappings(assembly, { gate, host, divide: byTenant, atOnce: batchesAtOnce })
  closing.defer(() => withPatience((patience) => mappings.stop(patience)))
  const schedules = startSchedules(assembly, { host })
  closing.defer(() => withPatience((patience) => schedules.stop(patience)))
  const connector = await startConnector({
    assembly,
    place,
    gate,
    folder,
    engines: engine.addresses,
    settings,
    healthPort,
    closing,
  })
  const { recordingsDir } = engine
  if (recordingsDir !== undefined) {
    const isKept = settings.observing !== undefined
    closing.defer(sendRecordings({ from: recordingsDir, to: place.publicUrl, kept, folder, isKept }))
  }
  closing.defer(() => gateway.close())
  return connector
}

function lookupArns(assembly: Pick<Assembly, 'routes'>): ReadonlySet<string> {
  const keys: ReadonlySet<string> = new Set(
    routeTraits(routes).flatMap(({ key, isLookup }) => (isLookup === true ? [key] : [])),
  )
  return new Set(assembly.routes.filter(({ key }) => keys.has(key)).map(({ functionArn }) => functionArn))
}

async function withPatience(stop: (patience: AbortSignal) => Promise<void>): Promise<void> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), patienceMs)
  try {
    await stop(patience.signal)
  } finally {
    clearTimeout(timer)
  }
}
