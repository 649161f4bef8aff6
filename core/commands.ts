/** One order to the engine, as typed values. No field of it ever holds text that was not matched by an allow-list. */
export type EngineCommand =
  | OriginateCommand
  | { readonly kind: 'hold'; readonly uuid: string }
  | { readonly kind: 'unhold'; readonly uuid: string }
  | { readonly kind: 'hangup'; readonly uuid: string; readonly cause: string }
  | EavesdropCommand
  /** Answered with the channel rows of the command's scope, as JSON text `{"row_count":n,"rows":[...]}`. */
  | { readonly kind: 'list-channels' }
  /** Hangs up every channel of the command's scope, as the administrator's own doing (`MANAGER_REQUEST`). */
  | { readonly kind: 'hang-up-domain' }
  /** Makes the engine forget an account's directory record. */
  | { readonly kind: 'flush-account'; readonly login: string }
  /** Makes the engine forget every directory record: of a whole domain it can forget no fewer. */
  | { readonly kind: 'flush-directory' }
  /** Makes the engine forget an account's directory record, then drops the account's registrations. */
  | { readonly kind: 'drop-registrations'; readonly login: string }
  /** Makes the engine forget every directory record, then drops the registrations of the command's domain. */
  | { readonly kind: 'drop-domain-registrations' }

/** Ring an account's phone, then connect it to a number. */
export interface OriginateCommand {
  readonly kind: 'originate'
  /** Chosen before sending, so that the call's fate can be found whatever happens. */
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
  /** The channel that is listened to. */
  readonly target: string
  /** The login of the listener. */
  readonly user: string
  /** Digits shown to the listener. */
  readonly display?: string | undefined
  readonly mode: 'listen' | 'whisper_a' | 'whisper_b' | 'barge'
  /** Whether the listener can switch the mode by keys. */
  readonly dtmf: boolean
  /** The number that the listening leg identifies itself with. */
  readonly side: string
  readonly variables: Readonly<Record<string, string>>
}

/** Which channels a command may touch. Proven by the connector against the engine, not by the caller. */
export interface CommandScope {
  /** Only channels of this domain; `null` is root, who may touch any. */
  readonly domain: string | null
  /** Only channels with this presence id (`<login>@<domain>`), for callers that may touch just their own. */
  readonly presenceId: string | null
}

/** Who gives a command: what it may touch, and the request that it is part of, for the logs. */
export interface OrderedBy extends CommandScope {
  readonly requestId?: string | undefined
}

/** How a command ended, as the engine and the connector know it. */
export type CommandOutcome =
  /** The engine said `+OK`, or gave data. `text` is its answer, unchanged. `uuid` is the channel it really made. */
  | { readonly state: 'done'; readonly text: string; readonly uuid?: string | undefined }
  /** The engine said `-ERR` or `-USAGE`. */
  | { readonly state: 'refused'; readonly text: string }
  /** No such channel in the command's scope. Nothing was sent. */
  | { readonly state: 'absent' }
  /** Never sent: its deadline had passed, the engine is not connected, or the connector is full. */
  | { readonly state: 'unsent'; readonly reason: 'expired' | 'disconnected' | 'busy' }
  /** Sent, and its fate is not known. It may have had its effect. */
  | { readonly state: 'unknown'; readonly reason: 'disconnected' | 'timeout' | 'connector_lost' }

/** A command as it is recorded: made once, claimed once, ended once. */
export interface CommandRecord {
  readonly id: string
  readonly scope: CommandScope
  readonly command: EngineCommand
  /** Epoch milliseconds; a command that was not taken by then is never sent. */
  readonly deadlineAt: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The request that it is part of, for the logs; absent where there is none. */
  readonly requestId?: string | undefined
  /** The connector that took it; absent while it waits. */
  readonly claimedBy?: string | undefined
  /** Epoch milliseconds; there when it was taken. */
  readonly claimedAt?: number | undefined
  readonly outcome?: CommandOutcome | undefined
}

/** How many commands of a lost connector a store looks at in one call. */
export const claimsAtATime = 100

/** What a store made of the commands of a lost connector. */
export interface EndedClaims {
  /** Commands that now have an outcome and had none. */
  readonly ended: number
  /** Whether there may be more: then the store is to be called again. */
  readonly more: boolean
}
