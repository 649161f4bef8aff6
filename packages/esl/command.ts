import { EslCommandInvalid } from './errors.ts'

/** The longest line that an engine was seen to take. */
const MAX_LINE_BYTES = 200_000

/**
 * The kind of answer to a command: `result` a frame with the result as its body, `job` a reply that names the job,
 * `reply` a bare reply. Only a job's reply names the command it belongs to.
 */
export type EslReply = 'result' | 'job' | 'reply'

/**
 * One command, checked when it is built: it holds no CR, LF or NUL, so that an argument can neither end the command
 * nor begin another. There is no other way to make bytes for the engine.
 */
export class EslCommand {
  /** The first word, which is safe to log; an argument may be a secret. */
  readonly verb: string
  readonly answer: EslReply
  readonly jobUuid: string | undefined
  readonly #lines: readonly string[]

  private constructor(verb: string, answer: EslReply, argument: string, jobUuid?: string) {
    this.verb = verb
    this.answer = answer
    this.jobUuid = jobUuid
    const line = argument === '' ? verb : `${verb} ${argument}`
    this.#lines = jobUuid === undefined ? [line] : [line, `Job-UUID: ${jobUuid}`]
    for (const text of this.#lines) refuseUnsafe(text, verb)
  }

  /** The bytes of the command, its closing blank line included. */
  encode(): Buffer {
    return Buffer.from(`${this.#lines.join('\n')}\n\n`)
  }

  /** `api`: runs a command and answers its result; the engine does nothing else on the connection meanwhile. */
  static api(command: string): EslCommand {
    return new EslCommand('api', 'result', named('api', command))
  }

  /** `bgapi`: starts a command as a job, under an id of 1 to 64 letters, digits, `-` and `_`. */
  static bgapi(command: string, jobUuid: string): EslCommand {
    if (!/^[\w-]{1,64}$/.test(jobUuid))
      throw new EslCommandInvalid('a Job-UUID is 1 to 64 letters, digits, "-" and "_"')
    return new EslCommand('bgapi', 'job', named('bgapi', command), jobUuid)
  }

  /**
   * `event json`: subscribes to event names, and after the word CUSTOM to subclasses. Of the formats only this one can
   * be read without loss: in a plain value the engine leaves some `%` as it is.
   */
  static event(names: readonly string[]): EslCommand {
    return new EslCommand('event', 'reply', `json ${words('event', names)}`)
  }

  /** `nixevent`: ends subscriptions, in the same words as `event`. */
  static nixevent(names: readonly string[]): EslCommand {
    return new EslCommand('nixevent', 'reply', words('nixevent', names))
  }

  /** `filter`: lets only events pass whose header has the value, or that another filter lets pass. */
  static filter(header: string, value: string): EslCommand {
    return new EslCommand('filter', 'reply', `${words('filter', [header])} ${named('filter', value)}`)
  }

  static auth(password: string): EslCommand {
    return new EslCommand('auth', 'reply', password)
  }

  static exit(): EslCommand {
    return new EslCommand('exit', 'reply', '')
  }
}

/** The engine runs an empty command for a leading space, and answers nothing useful to an empty one. */
function named(verb: string, argument: string): string {
  if (argument === '' || argument.startsWith(' '))
    throw new EslCommandInvalid(`${verb} needs a command after one space`)
  return argument
}

function words(verb: string, names: readonly string[]): string {
  if (names.length === 0) throw new EslCommandInvalid(`${verb} needs at least one name`)
  if (names.some((name) => !/^[^\s]+$/.test(name))) throw new EslCommandInvalid(`${verb} takes names without spaces`)
  return names.join(' ')
}

function refuseUnsafe(line: string, verb: string): void {
  if (/[\r\n\0]/.test(line)) throw new EslCommandInvalid(`${verb} holds a line break or a NUL`)
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) throw new EslCommandInvalid(`${verb} is too long`)
  // Wherever these words stand in a line, an engine reloads its event socket instead and cuts every client off.
  if (/(?:re|un)load/i.test(line) && /mod_event_socket/i.test(line)) {
    throw new EslCommandInvalid(`${verb} holds words that would close the engine's event socket`)
  }
}
