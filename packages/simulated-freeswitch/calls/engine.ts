import type { Channel } from './channel.ts'
import type { UserDirectory } from '../directory/user-directory.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { Gateways } from '../gateways/gateways.ts'
import type { XmlLookup } from '../lookups/xml-lookup.ts'
import type { Phones } from '../phones/phones.ts'
import type { SeededRandom } from '../runtime/random.ts'
import type { LogLine } from '../socket/log-line.ts'
import type { EngineTimers } from '../runtime/timers.ts'

/** The state that all parts of the simulated engine share. */
export interface Engine {
  readonly timers: EngineTimers
  readonly random: SeededRandom
  readonly events: EventBus
  readonly directory: UserDirectory
  /** Absent: every call is handled by the engine's own dial plan. */
  readonly dialplan: XmlLookup | undefined
  /** Numbers that call no account. */
  readonly emergencyNumbers: ReadonlySet<string>
  readonly phones: Phones
  /** Whether the contact of a phone with parameters is rung. */
  readonly ringsContact: (contact: string) => boolean
  readonly gateways: Gateways
  /** Every channel until it is destroyed, by uuid, oldest first. */
  readonly channels: Map<string, Channel>
  /** The rows that `show channels` answers: written late, as the engine's own table is. */
  readonly channelTable: ChannelTable
  /** Absolute path of the folder that recordings go to. Nothing is written anywhere else. */
  readonly recordingsDir: string
  /** Whether the SIP profile manages presence: only then has the leg of a phone that calls a presence id. */
  readonly managesPresence: boolean
  readonly globals: Map<string, string>
  /** How many messages there are for `<login>@<domain>`. */
  readonly mailboxes: Map<string, number>
  readonly sessions: SessionCounts
  readonly startedAt: number
  runExtension(channel: Channel, target: Extension): Promise<void>
  log(line: LogLine): void
}

/** Where a call goes in the dialplan; contexts are named after domains. */
export interface Extension {
  readonly extension: string
  readonly context: string
}

/** The channels as the engine's table shows them. */
export interface ChannelTable {
  /** Reports that a channel was created, changed or destroyed; the rows follow a moment later. */
  changed(): void
  rows(): readonly Readonly<Record<string, string>>[]
}

interface SessionCounts {
  sinceStartup: number
  peak: number
}

/** The engine's own limit; a further call is refused with `SWITCH_CONGESTION`. */
export const maxChannels = 2_000
