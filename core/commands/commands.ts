/** One order to the engine, as typed values. No field ever has text that no allow-list matched. */
export type EngineCommand =
  | OriginateCommand
  | { readonly kind: 'hold'; readonly uuid: string }
  | { readonly kind: 'unhold'; readonly uuid: string }
  | { readonly kind: 'hangup'; readonly uuid: string; readonly cause: string }
  | EavesdropCommand
  /** Answered with the channel rows of the command's scope, as JSON text `{"row_count":n,"rows":[...]}`. */
  | { readonly kind: 'list-channels' }
  /** Hangs up every channel of the command's scope, with the administrator's cause (`MANAGER_REQUEST`). */
  | { readonly kind: 'hang-up-domain' }
  /** Makes the engine forget an account's directory record. */
  | { readonly kind: 'flush-account'; readonly login: string }
  /** Makes the engine forget every directory record: it cannot forget those of one domain alone. */
  | { readonly kind: 'flush-directory' }
  /** Removes the messages that callers of these numbers have left in an account's mailbox, or `all`. */
  | { readonly kind: 'erase-messages'; readonly login: string; readonly callers: 'all' | readonly string[] }
  /** Makes the engine take over a gateway of the domain as it is stored: changed, new, or gone. */
  | { readonly kind: 'apply-gateway'; readonly name: string }
  /**
   * Makes the engine forget an account's directory record, then drops its registrations, hangs up its calls and empties
   * its mailbox.
   */
  | { readonly kind: 'drop-registrations'; readonly login: string }
  /**
   * Makes the engine forget every directory record, then drops the registrations and the gateways of the command's
   * domain.
   */
  | { readonly kind: 'drop-domain-registrations' }

/** Ring an account's phone, then connect it to a number. */
export interface OriginateCommand {
  readonly kind: 'originate'
  /** Chosen before sending, so that the call can be found whatever happens. */
  readonly uuid: string
  readonly calledId: string
  /** The login of the account that is rung first. */
  readonly callerId: string
  readonly timeoutSeconds: number
  readonly autoAnswer?: { readonly name: string; readonly value: string } | undefined
  readonly variables: Readonly<Record<string, string>>
}

/** Let a user listen to a live channel. */
export interface EavesdropCommand {
  readonly kind: 'eavesdrop'
  /** The uuid of the listening leg, chosen before sending. */
  readonly uuid: string
  readonly target: string
  readonly user: string
  readonly display?: string | undefined
  readonly mode: 'listen' | 'whisper_a' | 'whisper_b' | 'barge'
  /** Whether the listener can switch the mode by keys. */
  readonly dtmf: boolean
  /** The number that the listening leg identifies itself with. */
  readonly side: string
  readonly variables: Readonly<Record<string, string>>
}

/** The channels that a command may touch. The connector verifies the scope against the engine. */
export interface CommandScope {
  /** Only channels of this domain; `null` is root, who may touch any. */
  readonly domain: string | null
  /** Only channels with this presence id (`<login>@<domain>`), for callers that may touch only their own. */
  readonly presenceId: string | null
}

/** The source of a command: its scope, and its request for the logs. */
export interface OrderedBy extends CommandScope {
  readonly requestId?: string | undefined
}

/** The outcome of a command, as the engine and the connector know it. */
export type CommandOutcome =
  /** The engine answered `+OK` or data. `text` is its answer, unchanged. `uuid` is the channel that it created. */
  | { readonly state: 'done'; readonly text: string; readonly uuid?: string | undefined }
  /** The engine said `-ERR` or `-USAGE`. */
  | { readonly state: 'refused'; readonly text: string }
  /** No such channel in the command's scope. Nothing was sent. */
  | { readonly state: 'absent' }
  /** Never sent: its deadline had passed, the engine is not connected, the connector is full, or it only observes. */
  | { readonly state: 'unsent'; readonly reason: 'expired' | 'disconnected' | 'busy' | 'observed' }
  /** Sent, with an unknown outcome. It may have had its effect. */
  | { readonly state: 'unknown'; readonly reason: 'disconnected' | 'timeout' | 'unclear' | 'connector_lost' }

/** A recorded command: created once, claimed once, ended once. */
export interface CommandRecord {
  readonly id: string
  readonly scope: CommandScope
  readonly command: EngineCommand
  /** Epoch milliseconds; a command that is unclaimed by then is never sent. */
  readonly deadlineAt: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly requestId?: string | undefined
  readonly claimedBy?: string | undefined
  /** Epoch milliseconds; set when it was claimed. */
  readonly claimedAt?: number | undefined
  readonly outcome?: CommandOutcome | undefined
}

/** The number of commands of a lost connector that a store examines in one call. */
export const claimsAtATime = 100

/** The result of ending the commands of a lost connector. */
export interface EndedClaims {
  readonly ended: number
  readonly more: boolean
}

/** A drop of an account's registrations that an engine has not done yet. */
export interface PendingUnregistration {
  readonly engine: string
  readonly domain: string
  readonly login: string
  /** When the account was deleted, epoch milliseconds. */
  readonly deletedAt: number
  readonly command: string
}
