import { styleText } from 'node:util'
import { terminalText } from '../../client/index.ts'
import type { Failure } from '../failure/describe-error.ts'
import { type Clock, systemClock } from '../terminal/clock.ts'
import type { TextStream } from '../terminal/terminal.ts'
import { failureLines } from './failure-lines.ts'
import { type Cell, type Columns, type FittedColumn, type Look, fitTable, recordLines, tableLines } from './table.ts'
import { clockTime, relativeTime, timeText } from './time.ts'
import { cut, widthOf } from './text-width.ts'
import { type Tone, toneOf } from './tone.ts'

/** The form of the output. */
export interface OutputOptions {
  readonly json: boolean
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly colours: boolean
  /** Whether tables are shown whole on any terminal. */
  readonly full?: boolean
  readonly clock?: Clock
}

/** How a text is drawn. */
export type Style = 'bold' | Tone

/** A part of a line. A state has the colour of its meaning. */
export interface Part {
  readonly text: string
  readonly style?: Style | undefined
  readonly isState?: boolean
}

/** A value of a record that is a time, epoch milliseconds, or a state, whose colour says what it means. */
export interface Shown {
  readonly time?: number | undefined
  readonly state?: Cell
}

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

  /**
   * Writes a list: an array of the records as they came, or a table that fits the terminal. `nothing` is said of an
   * empty one.
   */
  list<T>(rows: readonly T[], columns: Columns<T>, nothing: string): void {
    if (this.isJson) return this.json(rows)
    if (rows.length === 0) return this.note(nothing)
    const table = fitTable(rows, columns, this.#tableWidth, (value, look) => this.#cellText(value, look))
    const lines = tableLines(table, rows.length, (text, column, isTitle) => this.#paint(text, column, isTitle))
    this.#write(lines.map((line) => `${line}\n`).join(''))
    if (table.dropped.length > 0) this.note(`not shown here: ${table.dropped.join(', ')}; see them with --full`, 'dim')
    else if (table.isShortened) this.note('shortened here; see it whole with --full', 'dim')
  }

  /** Writes a record: the value with JSON, or else the names and values of `fields`. */
  record(value: unknown, fields: Readonly<Record<string, Cell | Shown>>): void {
    if (this.isJson) return this.json(value)
    const states = new Set<string>()
    const texts = Object.entries(fields).map(([name, field]): [string, string] => {
      if (typeof field !== 'object' || field === null) return [terminalText(name), this.#cellText(field, 'text')]
      if ('state' in field) states.add(terminalText(name))
      return [terminalText(name), 'state' in field ? this.#cellText(field.state, 'text') : this.time(field.time)]
    })
    const paint = (text: string, name: string) => (states.has(name) ? this.tinted(text) : text)
    this.#write(`${recordLines(texts, this.#tableWidth, paint).join('\n')}\n`)
  }

  /** Returns a time in epoch milliseconds as people say it on a terminal, and as ISO 8601 elsewhere. */
  time(epochMs: number | undefined): string {
    if (epochMs === undefined) return ''
    const clock = this.#options.clock ?? systemClock
    if (this.#options.stdout.isTTY !== true) return timeText(epochMs) ?? ''
    return `${clockTime(epochMs, clock)} (${relativeTime(epochMs, clock)})`
  }

  /** Returns a time in epoch milliseconds as it stands in tables and lines: short on a terminal, ISO 8601 elsewhere. */
  moment(epochMs: number): string {
    return this.#cellText(epochMs, 'time')
  }

  /** Whether nothing is shortened: in a pipe, or with `--full`. */
  get isWhole(): boolean {
    return this.#tableWidth === Number.POSITIVE_INFINITY
  }

  /** Writes parts on one line of the terminal; what does not fit is cut off. Empty parts are left out. */
  fittedLine(parts: readonly Part[], between = '  '): void {
    let room = this.#tableWidth
    const shown = parts.flatMap(({ text, style, isState }) => {
      if (text === '' || room < 1) return []
      const fitting = cut(terminalText(text), room)
      room -= widthOf(fitting) + widthOf(between)
      return [style === undefined ? (isState === true ? this.tinted(fitting) : fitting) : this.styled(style, fitting)]
    })
    this.#write(`${shown.join(between).trimEnd()}\n`)
  }

  /** Returns a text in the colour of its meaning, where the terminal has colours. */
  tinted(text: string): string {
    const tone = toneOf(text.replace(/…$/, ''))
    return tone === undefined ? text : this.styled(tone, text)
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
    this.#write(`${style === undefined ? shown : this.styled(style, shown)}\n`)
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
  note(text: string, style?: Style): void {
    if (!this.isJson) this.warn(text, style)
  }

  /** Writes a remark that is no result, also with JSON. */
  warn(text: string, style?: Style): void {
    this.clear()
    const shown = terminalText(text)
    this.#options.stderr.write(`${style === undefined ? shown : this.#styledFor('stderr', style, shown)}\n`)
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

  failure(failure: Failure): void {
    this.clear()
    const { stderr, json } = this.#options
    const { code, message, details, wayOut, requestId } = failure
    if (json) return void stderr.write(`${jsonText({ error: { code, message, details, wayOut, requestId } })}\n`)
    const columns = stderr.isTTY === true ? (stderr.columns ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
    const lines = failureLines(failure, columns, (style, text) => this.#styledFor('stderr', style, text))
    stderr.write(`${lines.join('\n')}\n`)
  }

  #write(text: string): void {
    this.clear()
    this.#options.stdout.write(text)
  }

  /** Returns a text in a style, where standard output is a terminal with colours. */
  styled(style: Style, text: string): string {
    return this.#styledFor('stdout', style, text)
  }

  #styledFor(stream: 'stdout' | 'stderr', style: Style, text: string): string {
    const { colours, [stream]: target } = this.#options
    return colours && target.isTTY === true ? styleText(style, text, { validateStream: false }) : text
  }

  /** A pipe is as wide as its lines. */
  get #tableWidth(): number {
    const { full, stdout } = this.#options
    return full !== true && stdout.isTTY === true
      ? (stdout.columns ?? Number.POSITIVE_INFINITY)
      : Number.POSITIVE_INFINITY
  }

  #cellText(value: Cell, look: Look): string {
    if (value === undefined || value === null) return ''
    if (look !== 'time') return terminalText(String(value))
    const at = typeof value === 'number' ? value : Date.parse(String(value))
    if (Number.isNaN(at)) return terminalText(String(value))
    const { stdout, clock = systemClock } = this.#options
    return stdout.isTTY === true ? clockTime(at, clock) : (timeText(at) ?? '')
  }

  #paint(text: string, { look }: FittedColumn, isTitle: boolean): string {
    if (isTitle) return this.styled('bold', text)
    if (look === 'state') return this.tinted(text)
    return look === 'text' ? text : this.styled('dim', text)
  }
}

function shownLines(text: string): string {
  return terminalText(text.replaceAll('\r\n', '\n'), '\n\t')
}

/** Returns JSON in which escapes stand for what would act on a terminal, so its value is the same in a pipe. */
function jsonText(value: unknown, indent?: number): string {
  return terminalText(JSON.stringify(value, null, indent), '\n')
}
