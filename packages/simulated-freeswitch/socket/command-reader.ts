/** One command as the engine's parser sees it. */
export interface SocketCommand {
  readonly line: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Present when the command carried a Content-Length. */
  readonly body?: string | undefined
}

/** More than any command that the recordings hold; a client that sends more without a blank line is cut off. */
const maxCommandBytes = 16 * 1024 * 1024

/**
 * Splits a client's input into commands, in whatever pieces it arrives. A command ends with a blank line; CR is ignored
 * in finding that, and counts as a line end inside (`session/newline-in-argument`).
 */
export class CommandReader {
  #buffer = ''
  /**
   * The position at which the search for the blank line continues, so that a long command in small pieces is searched
   * once.
   */
  #searched = 0

  /** Adds bytes. Throws when no command could ever be this long. */
  feed(bytes: string): void {
    this.#buffer += bytes
    if (this.#buffer.length > maxCommandBytes) throw new Error('command too long')
  }

  /** Whether a command has begun and is not complete: events are held back meanwhile (`session/split-writes`). */
  get midCommand(): boolean {
    return /[^\r\n]/.test(this.#buffer)
  }

  next(): SocketCommand | undefined {
    if (this.#searched === 0) this.#buffer = this.#buffer.replace(/^[\r\n]+/, '')
    const blankLine = /\n\r*\n/g
    blankLine.lastIndex = Math.max(0, this.#searched - 1)
    const end = blankLine.exec(this.#buffer)
    if (end === null) {
      this.#searched = lastNonReturn(this.#buffer)
      return undefined
    }
    const command = parseHead(this.#buffer.slice(0, end.index))
    const bodyStart = end.index + end[0].length
    const length = contentLength(command)
    if (this.#buffer.length < bodyStart + length) return undefined
    const body = this.#buffer.slice(bodyStart, bodyStart + length)
    this.#buffer = this.#buffer.slice(bodyStart + length)
    this.#searched = 0
    return length === 0 ? command : { ...command, body }
  }
}

/** Where the run of line ends at the buffer's end begins, so that a blank line cut in two is still found. */
function lastNonReturn(text: string): number {
  let at = text.length
  while (at > 0 && (text[at - 1] === '\n' || text[at - 1] === '\r')) at--
  return at
}

function parseHead(head: string): SocketCommand {
  const [line = '', ...rest] = head.split(/[\r\n]+/)
  const headers = rest.flatMap((text): [string, string][] => {
    const colon = text.indexOf(':')
    return colon < 0 ? [] : [[text.slice(0, colon), text.slice(colon + 1).replace(/^ +/, '')]]
  })
  return { line, headers }
}

function contentLength(command: SocketCommand): number {
  const value = command.headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
  const length = Number.parseInt(value ?? '0', 10)
  return Number.isFinite(length) && length > 0 ? Math.min(length, maxCommandBytes) : 0
}
