import type { ClientVariables } from '../../core/client-names/client-names.ts'
import type { Log } from '../../adapters/log/logger.ts'
import type { Metrics } from '../../adapters/metrics/emf-metrics.ts'
import type { CommandReceiver } from '../../core/commands/command-store.ts'
import type { EngineTenants } from '../../contracts/settings/connector.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { GatewayStates } from '../gateways/gateway-states.ts'
import type { CommandRunner } from '../commands/command-runner.ts'
import type { LostClaims } from '../commands/lost-claims.ts'
import type { EngineClocks } from '../links/engine-clocks.ts'
import type { EngineAddress } from '../runtime/engine.ts'
import type { EngineRuntime, OpenLink } from './engine-runtime.ts'
import type { EventPipeline } from './event-pipeline.ts'
import type { Recorder } from '../recordings/recorder.ts'
import type { SpoolPlace } from '../buffer/buffer-disk.ts'
import type { Time } from '../../core/concurrency/timers.ts'

export interface ConnectorDeps extends Time {
  /** Names of variables that clients may set, added by the operator; none if absent. */
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
  /** Present when the engines are only observed. */
  readonly observing?: { readonly tenants: EngineTenants } | undefined
  /** One at least, no two of one name. */
  readonly engines: readonly EngineAddress[]
  /** Names this process in claims and reports. */
  readonly connectorId: string
  readonly version: string
  /** Where events wait while the queue is away; in memory only where there is none. */
  readonly spool?: SpoolPlace | undefined
  /** A number from 0 up to but not 1. */
  readonly random: () => number
  readonly log: Log
  /** Where metrics are written; nowhere if absent. */
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
  readonly gateways: Pick<GatewayStates, 'hasTls' | 'storeAll'>
  readonly recorder: Recorder
  readonly lost: LostClaims
  readonly clocks: Pick<EngineClocks, 'behindMs'>
  /** Counters that belong to no component. */
  readonly tally: {
    /** Gaps that this connector has recorded for a connector that is gone. */
    gapsOfLost: number
    /** Engines that this connector has never reached, although another one heard them when it started. */
    outOfReach: readonly string[]
    /** Owners of earlier spools whose events were taken over, the newest last. */
    taken: readonly string[]
  }
}
