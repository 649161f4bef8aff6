import type { ClientVariables } from '../../core/client-names/client-names.ts'
import type { Log } from '../../adapters/log/logger.ts'
import type { Metrics } from '../../adapters/metrics/emf-metrics.ts'
import type { CommandReceiver } from '../../core/commands/command-store.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { CommandRunner } from '../commands/command-runner.ts'
import type { LostClaims } from '../commands/lost-claims.ts'
import type { EngineAddress } from '../runtime/engine.ts'
import type { EngineWorks, OpenLink } from './engine-works.ts'
import type { EventSide } from './event-side.ts'
import type { RecordingsPlace } from '../recordings/attend-recording.ts'
import type { Recorder } from '../recordings/recorder.ts'
import type { StoringPeer } from '../reconcile/storing-peer.ts'
import type { SpoolPlace } from '../spool/spool.ts'
import type { Time } from '../../core/concurrency/timers.ts'

/** What a connector is made from: the ports that contracts/connector.ts names, and the world. */
export interface ConnectorParts extends Time {
  /** What the operator adds to the names of variables that clients may set; absent: nothing. */
  readonly clientVariables?: ClientVariables | undefined
  readonly ports: Pick<
    Ports,
    | 'commands'
    | 'events'
    | 'cdrQueue'
    | 'presence'
    | 'knownCalls'
    | 'subscriptions'
    | 'domains'
    | 'connectorStatus'
    | 'gaps'
    | 'recordings'
    | 'recordingFiles'
  >
  readonly receiver: CommandReceiver
  readonly openLink: OpenLink
  /** One at least, no two of one name. */
  readonly engines: readonly EngineAddress[]
  /** Names this process in claims and reports. */
  readonly connectorId: string
  readonly version: string
  /** Where events wait while the queue is away; in memory only where there is none. */
  readonly spool?: SpoolPlace | undefined
  /** Where the engines' recordings are; none is stored where absent. */
  readonly recordings?: RecordingsPlace | undefined
  /** A number from 0 up to but not 1. */
  readonly random: () => number
  readonly log: Log
  /** Where metrics are written; nowhere if absent. */
  readonly metrics?: Metrics | undefined
}

/** What a running connector consists of. */
export interface Running {
  readonly parts: ConnectorParts
  readonly startedAt: number
  readonly registry: ChannelRegistry
  readonly events: EventSide
  readonly works: readonly EngineWorks[]
  readonly runner: CommandRunner
  readonly recorder: Recorder
  readonly lost: LostClaims
  readonly peer: StoringPeer
  /** What is counted outside of all parts. */
  readonly tally: {
    /** Gaps that this connector has recorded in the place of one that is gone. */
    gapsOfLost: number
    /** Owners of spools of before whose events were taken over, the newest last. */
    taken: readonly string[]
  }
}
