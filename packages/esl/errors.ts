/**
 * The cost of a failure: `event` one event that is skipped, `command` one command, `connection` the TCP connection
 * and every command on it, `stream` the trust in the bytes themselves, so that nothing read after it may be used.
 */
export type EslDamage = 'event' | 'command' | 'connection' | 'stream'

/** Every error of the Event Socket client. Messages hold no password and no text of an event or a reply body. */
export abstract class EslError extends Error {
  abstract readonly takesDown: EslDamage
  override get name(): string {
    return this.constructor.name
  }
}

/** An event's body is not what its content type promises. The event is skipped; the next one is read as usual. */
export class EslEventUnreadable extends EslError {
  readonly takesDown = 'event'
  readonly contentType: string
  readonly bytes: number

  constructor(contentType: string, bytes: number, problem: string) {
    super(`a ${contentType} body of ${bytes} bytes cannot be read: ${problem}`)
    this.contentType = contentType
    this.bytes = bytes
  }
}

/** A command could not be built from what it was given: an argument would have become a second command, or none. */
export class EslCommandInvalid extends EslError {
  readonly takesDown = 'command'
}

/** The command was never written to the engine: it has no effect and may be given again. */
export class EslCommandNotSent extends EslError {
  readonly takesDown = 'command'
}

/** The engine answered `-ERR` where only `+OK` will do: a job was not started, a subscription not changed. */
export class EslCommandRejected extends EslError {
  readonly takesDown = 'command'
  readonly reply: string

  constructor(reply: string) {
    super(`the engine refused the command: ${reply}`)
    this.reply = reply
  }
}

/** The command was written and no reply can be matched to it: it may have had its effect or not. */
export class EslCommandFateUnknown extends EslError {
  readonly takesDown: EslDamage = 'command'
}

/** No reply within the command's time. The connection stays; the late reply is counted and completes nothing. */
export class EslCommandTimeout extends EslCommandFateUnknown {}

/** Why a connection ended or never came to be. */
export type EslDownReason =
  /** No TCP connection: refused, unreachable, name not found. */
  | 'unreachable'
  /** Connected, but no greeting in time. */
  | 'no-greeting'
  /** The first words were not those of an event socket. */
  | 'not-an-engine'
  /** The password was refused. */
  | 'auth-refused'
  /** The engine would not send the events asked for. */
  | 'subscription-refused'
  /** The engine's access list does not hold our address. */
  | 'access-rejected'
  /** The engine said goodbye: shutdown, reload of its module, `exit`. */
  | 'disconnected'
  /** The engine dropped us because events were lost in its queue for us. */
  | 'overflow'
  /** The connection was closed or reset without a word. */
  | 'closed'
  /** No byte came for as long as an engine is ever silent. */
  | 'silent'
  /** A reply is so overdue that later replies could be taken for it. */
  | 'reply-overdue'
  /** The bytes are not frames any more. */
  | 'framing-lost'
  /** We closed it. */
  | 'stopped'

/** A connection has ended, or could not be made. Commands in flight on it end with an unknown fate. */
export class EslConnectionLost extends EslError {
  readonly takesDown: EslDamage = 'connection'
  readonly reason: EslDownReason

  constructor(reason: EslDownReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** The end of a frame cannot be found: the connection is given up, and the frame is discarded. */
export class EslFramingLost extends EslConnectionLost {
  override readonly takesDown: EslDamage = 'stream'

  constructor(problem: string) {
    super('framing-lost', `the byte stream is not made of frames any more: ${problem}`)
  }
}
