import type { EngineAddress } from '../../connector/runtime/engine.ts'
import { type Assembly, type Gate, type Place, openLog } from '@callplane/laptop'
import { ConnectorProcess } from '../connector/connector-process.ts'
import type { DataFolder } from '../data/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { connectorEnvironment, sharedEnvironment } from './local-environment.ts'

/** The connector, and the address of its health check. */
export interface RunningConnector {
  readonly process: ConnectorProcess
  readonly healthUrl: string
}

/** Starts the connector's container of the assembly as a process, linked to the engines given. */
export async function startConnector(options: {
  readonly assembly: Assembly
  readonly place: Place
  readonly gate: Gate
  readonly folder: DataFolder
  readonly engines: readonly EngineAddress[]
  readonly settings: Settings
  readonly healthPort: number
  readonly closing: AsyncDisposableStack
}): Promise<RunningConnector> {
  const { assembly, place, gate, folder, engines, settings, healthPort, closing } = options
  const { observing } = settings
  const [container] = assembly.containers
  if (container === undefined) throw new Error('the assembly has no container to run as the connector')
  const shared = sharedEnvironment(settings, place.storesUrl, gate.issue(container.roleArn))
  const logFile = folder.file('logs/connector.log')
  const log = openLog(logFile)
  const healthUrl = `http://127.0.0.1:${healthPort}/health`
  closing.defer(() => void log.end())
  const connector = new ConnectorProcess({
    directory: container.directory,
    environment: connectorEnvironment(container, shared, { engines, observing, healthPort }),
    home: folder.file('connector'),
    log,
    logFile,
    ask: async () => (await fetch(healthUrl)).body?.cancel(),
  })
  closing.defer(() => connector.stop())
  return { process: connector, healthUrl }
}
