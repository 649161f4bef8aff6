import { randomUUID } from 'node:crypto'
import type { AdapterContext } from '../adapters/context.ts'
import { systemRandomness } from '../adapters/crypto/system-randomness.ts'
import { dynamoCommandStore } from '../adapters/dynamodb/calls/dynamo-command-store.ts'
import { dynamoConnectorStatusStore } from '../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoAccountStore } from '../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainStore } from '../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStateStore } from '../adapters/dynamodb/gateways/dynamo-gateway-state-store.ts'
import { dynamoGatewayStore } from '../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { dynamoGapStore } from '../adapters/dynamodb/events/dynamo-gap-store.ts'
import { dynamoKnownCallStore } from '../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import { dynamoPresenceStore } from '../adapters/dynamodb/accounts/dynamo-presence-store.ts'
import { dynamoRecordingStore } from '../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { dynamoSubscriptionReader } from '../adapters/dynamodb/hooks/dynamo-subscription-reader.ts'
import { type Log, createLogger } from '../adapters/log/logger.ts'
import { emfMetrics } from '../adapters/metrics/emf-metrics.ts'
import { sqsCdrQueue } from '../adapters/sqs/sqs-cdr-queue.ts'
import { sqsCommandReceiver } from '../adapters/sqs/sqs-command-receiver.ts'
import { sqsEventSink } from '../adapters/sqs/sqs-event-sink.ts'
import { systemClock } from '../adapters/system/system-time.ts'
import { type Connector, startConnector } from './connector.ts'
import { openEslSession, systemEslTimers } from '@callplane/esl'
import { type HealthServer, startHealthServer } from './health/health-server.ts'
import { type ConnectorSettings, readSettings } from './settings.ts'
import { handOverMs } from './stop-connector.ts'
import { processOwner, systemSpoolFiles } from './buffer/spool-files.ts'

const context: AdapterContext = { env: process.env, clock: systemClock, random: systemRandomness }
const { settings, log } = readOrExit(context)

try {
  const { connector, health } = await start(context, settings, log)
  stopOnSignal(connector, health, handOverMs(settings.stopSeconds))
} catch (problem) {
  log.error('the connector cannot start', problem)
  // Components that already run must not go on without a health endpoint and a way to stop them.
  process.exit(1)
}

function readOrExit(context: AdapterContext): { settings: ConnectorSettings; log: Log } {
  try {
    return { settings: readSettings(context.env), log: createLogger('connector', context) }
  } catch (problem) {
    // At the usual level, since the wrong setting may be the level.
    const plainLog = createLogger('connector', { env: {} })
    plainLog.error(`the connector cannot start: ${problem instanceof Error ? problem.message : 'a setting is wrong'}`)
    process.exit(1)
  }
}

async function start(
  context: AdapterContext,
  settings: ConnectorSettings,
  log: Log,
): Promise<{ connector: Connector; health: HealthServer }> {
  const connector = startConnector({
    clock: context.clock,
    timers: systemEslTimers,
    ports: {
      commands: dynamoCommandStore(context),
      accounts: dynamoAccountStore(context),
      domains: dynamoDomainStore(context),
      gateways: dynamoGatewayStore(context),
      gatewayStates: dynamoGatewayStateStore(context),
      events: sqsEventSink(context),
      cdrQueue: sqsCdrQueue(context),
      presence: dynamoPresenceStore(context),
      knownCalls: dynamoKnownCallStore(context),
      subscriptions: dynamoSubscriptionReader(context),
      connectorStatus: dynamoConnectorStatusStore(context),
      gaps: dynamoGapStore(context),
      recordings: dynamoRecordingStore(context),
    },
    receiver: sqsCommandReceiver(context),
    openLink: openEslSession,
    engines: settings.engines,
    clientVariables: settings.clientVariables,
    observing: settings.observing,
    connectorId: randomUUID(),
    version: settings.version,
    spool: settings.spool && { ...settings.spool, files: systemSpoolFiles, owner: processOwner() },
    random: Math.random,
    log,
    metrics: emfMetrics({ ...context, stage: settings.stage, write: (line) => void process.stdout.write(`${line}\n`) }),
  })
  const health = await startHealthServer(settings.healthPort, () => connector.health())
  log.info('the connector has started', { edition: settings.version, healthPort: health.port })
  return { connector, health }
}

/** The first signal stops in order; the second ends the process where it stands. */
function stopOnSignal(connector: Connector, health: HealthServer, graceMs: number): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info('the connector stops', { signal })
    void finish(connector, health, graceMs)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

async function finish(connector: Connector, health: HealthServer, graceMs: number): Promise<void> {
  const lost = await connector.stop(graceMs)
  if (lost > 0) log.error('events could neither be handed over nor put on disk', undefined, { events: lost })
  await health.close()
  process.exit(0)
}
