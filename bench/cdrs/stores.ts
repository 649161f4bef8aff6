/**
 * The stores of a laptop and their gate, as a process of its own: queues, tables and roles as the assembly has them.
 * Sends its parent their addresses and the settings of the worker and the connector; a message is answered
 * with the CPU milliseconds so far. Ends with its parent, or when that hangs up. `stores.ts <folder for its state>`.
 */
import { fileURLToPath } from 'node:url'
import { queues } from '../../contracts/resources.ts'
import { laptop } from '../../local/assembly/place.ts'
import { readAssembly } from '../../local/assembly/read-assembly.ts'
import { openDataFolder } from '../../local/data/data-folder.ts'
import { readSecrets } from '../../local/data/kept-secrets.ts'
import { Gate } from '../../local/gate/gate.ts'
import { functionEnvironment, sharedEnvironment } from '../../local/platform/local-environment.ts'
import { platformRole } from '../../local/platform/platform-context.ts'
import { startStores } from '../../local/platform/start-stores.ts'
import { readSettings } from '../../local/settings/settings.ts'
import { programsFor } from '../../local/stores/dynamo-program/choose-program.ts'
import { thisMachine } from '../../local/stores/dynamo-program/dynoxide.ts'
import { ensureAssembly } from '../../local/synthesis/ensure-assembly.ts'
import type { StoresOfBench } from './open-stores.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const settings = readSettings({ DATA_DIR: process.argv[2] })
const folder = openDataFolder(settings.dataDir)
const closing = new AsyncDisposableStack()
const run = { progress: () => undefined, signal: new AbortController().signal }
const directory = await ensureAssembly(root, run.progress, run.signal)
const gate = new Gate()
const place = { ...laptop, publicUrl: 'http://127.0.0.1', storesUrl: await gate.open() }
const assembly = readAssembly(directory, place)
const kept = readSecrets(folder, settings)
const { backends } = await startStores(assembly, {
  settings,
  folder,
  kept,
  programs: programsFor(root, thisMachine, run),
  closing,
})
gate.serve(place, [...assembly.roles, platformRole], backends)

const [container] = assembly.containers
const queueUrl = container?.environment[queues.cdrs.variable]
const queue = assembly.queues.find(({ url }) => url === queueUrl)
const mapping = assembly.mappings.find(({ queueArn }) => queueArn === queue?.arn)
const worker = assembly.functions.find(({ arn }) => arn === mapping?.functionArn)
if (container === undefined || queue === undefined || mapping === undefined || worker === undefined) {
  throw new Error('the assembly has no queue of CDRs that a function consumes')
}
const credential = gate.issue(worker.roleArn)
const environmentOf = (roleArn: string) => sharedEnvironment(settings, place.storesUrl, gate.issue(roleArn))
const started: StoresOfBench = {
  storesUrl: place.storesUrl,
  queueUrl: queue.url,
  batchSize: mapping.batchSize,
  maxConcurrency: mapping.maximumConcurrency,
  credential,
  workerEnv: functionEnvironment(worker, settings, sharedEnvironment(settings, place.storesUrl, credential)),
  connectorEnv: { ...container.environment, ...environmentOf(container.roleArn) },
  platformEnv: { ...worker.environment, ...environmentOf(platformRole.arn) },
}

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000 })
})
// Also when the parent has died.
process.on('disconnect', () => {
  void Promise.all([closing.disposeAsync(), gate.close()]).then(() => process.exit(0))
})
process.send?.(started)
