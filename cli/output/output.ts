import { styleText } from 'node:util'
import { terminalText } from '../../client/index.ts'
import type { Failure } from '../failure/describe-error.ts'
import type { TextStream } from '../terminal/terminal.ts'
import { type Cell, type Columns, recordLines, tableLines } from './table.ts'

/** The form of the output. */
export interface OutputOptions {
  readonly json: boolean
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly colours: boolean
}

type Style = 'bold' | 'red' | 'yellow' | 'green' | 'dim'

/** Writes results to standard output, as text or as JSON, and everything else to standard error. */
export class Output {
  readonly #options: OutputOptions
  /** Completes characters whose bytes come in two parts. */
  readonly #decoder = new TextDecoder()
  #progress: string | undefined

  constructor(options: OutputOptions) {
    this.#options = options
  }

  get isJson(): boolean {
    return this.#options.json
  }

  /** Writes a list: an array of the records as they came, or a table. `nothing` is said of an empty one. */
  list<T>(rows: readonly T[], columns: Columns<T>, nothing: string): void {
    if (this.isJson) return this.json(rows)
    if (rows.length === 0) return this.note(nothing)
    const [titles = '', ...lines] = tableLines(rows, columns)
    this.#write(`${this.#styled('bold', titles)}\n${lines.map((line) => `${line}\n`).join('')}`)
  }

  record(value: unknown, fields: Readonly<Record<string, Cell>>): void {
    if (this.isJson) this.json(value)
    else this.#write(`${recordLines(fields).join('\n')}\n`)
  }

  done(value: unknown, sentence: string): void {
    if (this.isJson) this.json(value)
    else this.line(sentence)
  }

  /** Writes a value as JSON, indented; on one line with `isLine`, for results that come one after another. */
  json(value: unknown, isLine = false): void {
    this.#write(`${jsonText(value, isLine ? undefined : 2)}\n`)
  }

  line(text: string, style?: Style): void {
    const shown = terminalText(text)
    this.#write(`${style === undefined ? shown : this.#styled(style, shown)}\n`)
  }

  /** Writes text as it is: a script, or the content of a file. On a terminal, what would act on it is escaped. */
  raw(text: string): void {
    this.#write(this.#options.stdout.isTTY === true ? shownLines(text) : text)
  }

  /** Writes bytes as {@link raw} writes text, one after another, and resolves when standard output has taken them. */
  async rawInTurn(bytes: Uint8Array): Promise<void> {
    this.clear()
    const { stdout } = this.#options
    const shown = stdout.isTTY === true ? shownLines(this.#decoder.decode(bytes, { stream: true })) : bytes
    await new Promise<void>((resolve) => void stdout.write(shown, () => resolve()))
  }

  /** Writes a remark that is no result; silent with JSON. */
  note(text: string): void {
    if (!this.isJson) this.warn(text)
  }

  /** Writes a remark that is no result, also with JSON. */
  warn(text: string): void {
    this.clear()
    this.#options.stderr.write(`${terminalText(text)}\n`)
  }

  /** Shows how far something is, on one line that the next one replaces; only on a terminal. */
  progress(text: string): void {
    if (this.#options.stderr.isTTY !== true) return
    this.clear()
    this.#progress = terminalText(text).slice(0, (this.#options.stderr.columns ?? 80) - 1)
    this.#options.stderr.write(this.#progress)
  }

  clear(): void {
    if (this.#progress === undefined) return
    this.#progress = undefined
    this.#options.stderr.write('\r\u001b[2K')
  }

  failure({ code, message, details, wayOut, requestId }: Failure): void {
    this.clear()
    const { stderr, json } = this.#options
    if (json) {
      stderr.write(`${jsonText({ error: { code, message, details, wayOut, requestId } })}\n`)
      return
    }
    const head =
      this.#options.colours && stderr.isTTY === true ? styleText('red', 'error:', { validateStream: false }) : 'error:'
    const more = [
      ...details,
      ...(wayOut === undefined ? [] : [wayOut]),
      ...(requestId === undefined ? [] : [`request id ${requestId}`]),
    ]
    stderr.write([`${head} ${terminalText(message)}`, ...more.map((line) => `  ${terminalText(line)}`), ''].join('\n'))
  }

  #write(text: string): void {
    this.clear()
    this.#options.stdout.write(text)
  }

  #styled(style: Style, text: string): string {
    const { colours, stdout } = this.#options
    return colours && stdout.isTTY === true ? styleText(style, text, { validateStream: false }) : text
  }
}

function shownLines(text: string): string {
  return terminalText(text.replaceAll('\r\n', '\n'), '\n\t')
}

/** Returns JSON in which escapes stand for what would act on a terminal, so its value is the same in a pipe. */
function jsonText(value: unknown, indent?: number): string {
  return terminalText(JSON.stringify(value, null, indent), '\n')
}
