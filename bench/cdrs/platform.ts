/**
 * The part of a laptop's platform that indexes CDRs, as a process of its own: stores, gate, the poller of the queue of
 * CDRs, and its function in the thread of functions, with the queues, tables, roles and bundles of the assembly. Sends
 * its parent the environments of those who use the stores. `{index: count}` starts the poller and is answered when so
 * many messages are done with; `pause` stops it and is answered with the CPU milliseconds since. Ends when its parent
 * hangs up. `platform.ts <folder for its state>`.
 */
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { queues } from '../../contracts/resources.ts'
import { laptop } from '../../packages/laptop/assembly/place.ts'
import { readAssembly } from '../../packages/laptop/assembly/read-assembly.ts'
import { openDataFolder } from '../../local/data/data-folder.ts'
import { readSecrets } from '../../local/data/kept-secrets.ts'
import { FunctionHost } from '../../packages/laptop/functions/function-host.ts'
import { Gate } from '../../packages/laptop/gate/gate.ts'
import { functionEnvironment, sharedEnvironment } from '../../local/platform/local-environment.ts'
import { batchesAtOnce } from '../../local/platform/batches-at-once.ts'
import { byTenant } from '../../local/platform/message-groups.ts'
import { platformRole } from '../../local/platform/platform-context.ts'
import { startStores } from '../../local/platform/start-stores.ts'
import { openLog } from '../../packages/laptop/processes/log-file.ts'
import { type RunningMappings, startMappings } from '../../packages/laptop/queues/start-mappings.ts'
import { readSettings } from '../../local/settings/settings.ts'
import { programsFor } from '../../packages/laptop/stores/dynamo-program/choose-program.ts'
import { thisMachine } from '../../packages/laptop/stores/dynamo-program/dynoxide.ts'
import { ensureAssembly } from '../../local/synthesis/ensure-assembly.ts'
import type { PlatformEnvironments } from './open-platform.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const settings = readSettings({ DATA_DIR: process.argv[2] })
const folder = openDataFolder(settings.dataDir)
const closing = new AsyncDisposableStack()
const run = { progress: () => undefined, signal: new AbortController().signal }
const directory = await ensureAssembly(root, run.progress, run.signal)
const gate = new Gate()
const place = { ...laptop, publicUrl: 'http://127.0.0.1', storesUrl: await gate.open() }
closing.defer(() => gate.close())
const assembly = readAssembly(directory, place)
const kept = readSecrets(folder, settings)
const programs = programsFor(root, thisMachine, run)
const { backends } = await startStores(assembly, { settings, folder, kept, programs, closing })
gate.serve(place, [...assembly.roles, platformRole], backends)

const [container] = assembly.containers
const queueUrl = container?.environment[queues.cdrs.variable]
const queue = assembly.queues.find(({ url }) => url === queueUrl)
const mapping = assembly.mappings.find(({ queueArn }) => queueArn === queue?.arn)
const worker = assembly.functions.find(({ arn }) => arn === mapping?.functionArn)
if (container === undefined || queue === undefined || mapping === undefined || worker === undefined) {
  throw new Error('the assembly has no queue of CDRs that a function consumes')
}

const environmentOf = (roleArn: string) => sharedEnvironment(settings, place.storesUrl, gate.issue(roleArn))
const functionEnv = functionEnvironment(worker, settings, environmentOf(worker.roleArn))
const log = openLog(folder.file('logs/functions.log'))
closing.defer(() => void log.end())
const host = new FunctionHost([worker], { environmentOf: () => functionEnv, log })
closing.defer(() => host.close())

let mappings: RunningMappings | undefined
let cpu = process.cpuUsage()
let left = 0

gate.watchCalls(({ roleArn, action, input }) => {
  if (roleArn !== worker.roleArn || action !== 'DeleteMessageBatch' || left === 0) return
  left = Math.max(0, left - z.parse(z.object({ Entries: z.array(z.unknown()) }), input).Entries.length)
  if (left === 0) process.send?.('indexed')
})

process.on('message', (message) => {
  if (message === 'pause') {
    void pause()
    return
  }
  left = z.parse(z.object({ index: z.int() }), message).index
  cpu = process.cpuUsage()
  mappings = startMappings(
    { ...assembly, mappings: [mapping] },
    { gate, host, divide: byTenant, atOnce: batchesAtOnce },
  )
})
// Also when the parent has died.
process.on('disconnect', () => {
  void closing.disposeAsync().then(() => process.exit(0))
})

async function pause(): Promise<void> {
  await mappings?.stop(new AbortController().signal)
  const { user, system } = process.cpuUsage(cpu)
  process.send?.({ cpuMs: (user + system) / 1000 })
}

const environments: PlatformEnvironments = {
  functionEnv,
  connectorEnv: { ...container.environment, ...environmentOf(container.roleArn) },
  platformEnv: { ...worker.environment, ...environmentOf(platformRole.arn) },
}
process.send?.(environments)
