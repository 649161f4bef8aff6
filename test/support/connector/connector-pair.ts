import { join } from 'node:path'
import type { AdapterContext } from '../../../adapters/context.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { dynamoConnectorStatusStore } from '../../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoDomainStore } from '../../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoHookStore } from '../../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import type { ConnectorReport } from '../../../core/connectors/connector-report.ts'
import { bundle } from '../../../lib/bundle.ts'
import { connectorFolder } from '../../../lib/handlers.ts'
import { ConnectorProcess } from '../../../local/connector/connector-process.ts'
import { openLog } from '../../../packages/laptop/processes/log-file.ts'
import { startDynamoServer } from '../stores/dynamo-server.ts'
import { type QueueServer, startQueueServer } from '../stores/queue-server.ts'
import { aDomain, aHook } from '../records/records.ts'
import { type ScriptedEngine, startScriptedEngine } from '../engine/scripted-engine.ts'

/** One of the two connectors: its process is started again whenever it ends, on the disk that it had. */
export type PairedConnector = Pick<ConnectorProcess, 'pid' | 'stop'> & { readonly home: string; readonly log: string }

/** Two connectors as they are deployed, one engine or two, a queue and stores: all real processes and sockets. */
export interface ConnectorPair {
  readonly engine: ScriptedEngine
  readonly queue: QueueServer
  /** The context of adapters that reach the stores and the queue. */
  readonly context: AdapterContext
  readonly env: Readonly<Record<string, string>>
  readonly hooks: readonly Hook[]
  readonly connectors: readonly [PairedConnector, PairedConnector]
  /**
   * Returns whether as many connectors as run have reported that they have relayed everything that the engine sent
   * before a moment, epoch milliseconds, and something after it. While this engine sends nothing, which a real one
   * never does for longer than 20 s, it stays false.
   */
  isWhole(moment: number): Promise<boolean>
  /** The last report of every connector, of the killed ones too. */
  reports(): Promise<ConnectorReport[]>
  close(): Promise<void>
}

/**
 * Starts a pair with a hook on each event of each domain; `folder` takes what they write. Both relay the events of the
 * engine.
 */
export async function startConnectorPair(given: {
  readonly folder: string
  readonly domains: readonly string[]
  readonly events: readonly string[]
}): Promise<ConnectorPair> {
  const { folder, domains, events } = given
  const build = await bundle({ source: process.cwd(), target: join(folder, 'build') })
  await using opened = new AsyncDisposableStack()
  const dynamo = opened.adopt(await startDynamoServer(), (server) => server.close())
  const queue = opened.adopt(await startQueueServer(), (server) => server.close())
  const engine = opened.adopt(await startScriptedEngine(), (server) => server.close())
  const env = { ...dynamo.env, ...queue.env }
  const context = { env, clock: systemClock, random: systemRandomness }
  const hooks = domains.flatMap((domain) => events.map((event) => aHook({ event, domain, filter: {} })))
  for (const name of domains) {
    await dynamoDomainStore(context).create(aDomain({ name }))
    await dynamoHookStore(context).create(
      hooks.filter(({ domain }) => domain === name),
      events.length,
    )
  }
  engine.wanted = new Set(events)
  const start = (name: string): PairedConnector => {
    const home = join(folder, name)
    const log = join(folder, `${name}.log`)
    const connector = new ConnectorProcess({
      directory: connectorFolder(build),
      environment: {
        ...env,
        ENGINE_URL: `esl://:ClueCon@127.0.0.1:${engine.port}`,
        HEALTH_PORT: '0',
      },
      home,
      log: openLog(log),
      logFile: log,
    })
    opened.defer(() => connector.stop())
    return Object.assign(connector, { home, log })
  }
  const connectors = [start('one'), start('other')] as const
  const status = dynamoConnectorStatusStore(context)
  const closing = opened.move()
  return {
    engine,
    queue,
    context,
    env,
    hooks,
    connectors,
    isWhole: async (moment) => {
      const reports = await status.list(0)
      const whole = reports.filter(({ eventLinks }) =>
        eventLinks.some(({ upSince, handedOverTo = 0 }) => upSince > 0 && handedOverTo > moment),
      )
      return whole.length === connectors.length && engine.listeners === connectors.length
    },
    reports: () => status.list(0),
    close: () => closing.disposeAsync(),
  }
}
