import type { ClientVariables } from '../../core/client-names/client-names.ts'
import type { Log } from '../../adapters/log/logger.ts'
import type { Metrics } from '../../adapters/metrics/emf-metrics.ts'
import type { CommandReceiver } from '../../core/commands/command-store.ts'
import type { EngineTenants } from '../../contracts/settings/connector.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { GatewayAligner } from '../commands/apply-gateway.ts'
import type { Subscriptions } from '../events/subscriptions.ts'
import type { GatewayStates } from '../gateways/gateway-states.ts'
import type { CommandRunner } from '../commands/command-runner.ts'
import type { LostClaims } from '../commands/lost-claims.ts'
import type { EngineClocks } from '../runtime/engine-clocks.ts'
import type { EngineAddress } from '../runtime/engine.ts'
import type { EngineRuntime, OpenLink } from './engine-runtime.ts'
import type { EventPipeline } from './event-pipeline.ts'
import type { Recorder } from '../recordings/recorder.ts'
import type { SpoolLocation } from '../buffer/buffer-disk.ts'
import type { Time } from '../../core/concurrency/timers.ts'

export interface ConnectorDeps extends Time {
  readonly clientVariables?: ClientVariables | undefined
  readonly ports: Pick<
    Ports,
    | 'commands'
    | 'events'
    | 'cdrQueue'
    | 'presence'
    | 'knownCalls'
    | 'accounts'
    | 'subscriptions'
    | 'domains'
    | 'gateways'
    | 'gatewayStates'
    | 'connectorStatus'
    | 'gaps'
    | 'recordings'
  >
  readonly receiver: CommandReceiver
  readonly openLink: OpenLink
  readonly observing?: { readonly tenants: EngineTenants } | undefined
  /** One at least, no two of one name. */
  readonly engines: readonly EngineAddress[]
  readonly connectorId: string
  readonly version: string
  readonly spool?: SpoolLocation | undefined
  readonly random: () => number
  readonly log: Log
  readonly metrics?: Metrics | undefined
}

/** The components of a running connector. */
export interface Running {
  readonly parts: ConnectorDeps
  readonly startedAt: number
  readonly registry: ChannelRegistry
  readonly events: EventPipeline
  readonly works: readonly EngineRuntime[]
  readonly runner: CommandRunner
  readonly wanted: Subscriptions
  readonly aligner: GatewayAligner
  readonly gateways: Pick<GatewayStates, 'hasTls' | 'storeAll' | 'follow'>
  readonly recorder: Recorder
  readonly lost: LostClaims
  readonly clocks: EngineClocks
  readonly tally: {
    gapsOfLost: number
    /** Engines that this connector has never reached, although another one heard them when it started. */
    outOfReach: readonly string[]
    /** Owners of earlier spools whose events were taken over, the newest last. */
    taken: readonly string[]
  }
}
