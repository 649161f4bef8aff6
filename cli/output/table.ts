import { terminalText } from '../../client/index.ts'
import { cut, foldWords, padded, widthOf } from './text-width.ts'

/** A value that a cell can show. */
export type Cell = string | number | boolean | null | undefined

/** The form in which the values of a column are shown. `time`: epoch milliseconds, or text that `Date` reads. */
export type Look = 'id' | 'time' | 'state' | 'text'

/** A column of a table: the value of a row, and what happens to it on a narrow terminal. */
export interface Column<T> {
  readonly of: (row: T) => Cell
  /** Columns of the highest rank are dropped first, and shortened first; those of rank 0 are never dropped. */
  readonly rank?: number
  /** The least width to which values are shortened; by default they stay whole. */
  readonly least?: number
  readonly look?: Look
}

/** The columns of a table by their titles. A function alone is a column of text that stays whole. */
export type Columns<T> = Readonly<Record<string, Column<T> | ((row: T) => Cell)>>

/** A column as it is shown: its cells are text, and as wide as they may be. */
export interface FittedColumn {
  readonly title: string
  readonly cells: readonly string[]
  readonly width: number
  readonly isNumeric: boolean
  readonly look: Look
}

/** A table that fits a width, and the titles of the columns for which there was no room. */
export interface FittedTable {
  readonly columns: readonly FittedColumn[]
  readonly dropped: readonly string[]
  readonly isShortened: boolean
}

/** The columns stand this far apart. */
const gap = 2
/** Ids are shown whole, or so much of them. */
const shortId = 8

/**
 * Returns the columns of a table that fit a width: drops those of the highest rank while the others do not fit at their
 * least widths, then shortens what is left, again from the highest rank on. `textOf` makes the text of a value.
 */
export function fitTable<T>(
  rows: readonly T[],
  columns: Columns<T>,
  width: number,
  textOf: (value: Cell, look: Look) => string,
): FittedTable {
  const measured = Object.entries(columns).map(([title, given]) => {
    const { of, rank = 0, look = 'text', least } = typeof given === 'function' ? { of: given } : given
    const values = rows.map(of)
    const cells = values.map((value) => textOf(value, look))
    const head = terminalText(title.toUpperCase())
    const natural = Math.max(0, ...[head, ...cells].map(widthOf))
    const shortest = Math.max(widthOf(head), look === 'id' ? shortId : (least ?? natural))
    const isNumeric = values.some((value) => typeof value === 'number') && look !== 'time'
    return { title: head, cells, rank, look, isNumeric, width: natural, least: Math.min(natural, shortest) }
  })
  const dropped: string[] = []
  let kept = measured
  const room = () => width - gap * (kept.length - 1)
  while (sum(kept.map(({ least }) => least)) > room()) {
    const highest = Math.max(...kept.map(({ rank }) => rank))
    if (highest === 0) break
    const last = kept.findLast(({ rank }) => rank === highest)
    dropped.push(...kept.filter((column) => column === last).map(({ title }) => title.toLowerCase()))
    kept = kept.filter((column) => column !== last)
  }
  const widths = shorten(kept, room())
  const fitted = kept.map((column, index) => fit(column, widths[index] ?? column.width))
  return { columns: fitted, dropped, isShortened: kept.some((column, at) => column.width > (widths[at] ?? 0)) }
}

interface Measured extends FittedColumn {
  readonly rank: number
  readonly least: number
}

/** Returns the widths of columns in a room: those of the highest rank give way first, the rightmost before others. */
function shorten(columns: readonly Measured[], room: number): readonly number[] {
  const widths = columns.map(({ width }) => width)
  const order = columns.map((column, index) => ({ ...column, index })).sort((one, other) => other.rank - one.rank)
  for (const { index, least, look } of order) {
    const excess = sum(widths) - room
    const width = widths[index] ?? 0
    // Half an id is of no more use than its beginning.
    if (excess > 0) widths[index] = look === 'id' ? least : Math.max(least, width - excess)
  }
  // A shortened id frees more than was needed: what comes first gets it back.
  for (const { index, width, look } of order.toReversed()) {
    const wanted = width - (widths[index] ?? 0)
    const spare = room - sum(widths)
    if (spare >= wanted || look !== 'id') widths[index] = (widths[index] ?? 0) + Math.max(0, Math.min(wanted, spare))
  }
  const last = widths.length - 1
  // Columns that are never dropped can be wider than the smallest terminal.
  if (last >= 0) widths[last] = Math.max(1, (widths[last] ?? 0) - Math.max(0, sum(widths) - room))
  return widths
}

function fit({ title, cells, look, isNumeric }: Measured, width: number): FittedColumn {
  const isShort = (text: string) => look === 'id' && widthOf(text) > width
  const shown = cells.map((text) => (isShort(text) ? beginning(text, width) : cut(text, width)))
  return { title: cut(title, width), cells: shown, width, isNumeric, look }
}

/** Returns the beginning of an id, without a sign that it goes on: its length says so. */
function beginning(text: string, columns: number): string {
  return Array.from(cut(text, columns + 1))
    .slice(0, -1)
    .join('')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/**
 * Returns the lines of a table: the titles in capitals, then the rows; columns stand two apart, numbers to the right.
 * `paint` colours a cell after it was padded.
 */
export function tableLines(
  { columns }: FittedTable,
  rows: number,
  paint: (text: string, column: FittedColumn, isTitle: boolean) => string,
): readonly string[] {
  const line = (textOf: (column: FittedColumn) => string, isTitle: boolean) =>
    columns
      .map((column) => {
        const text = textOf(column)
        const shown = text === '' ? '' : paint(text, column, isTitle)
        return padded(shown, column.width - widthOf(text) + widthOf(shown), column.isNumeric)
      })
      .join(' '.repeat(gap))
      .trimEnd()
  const titles = line(({ title }) => title, true)
  return [titles, ...Array.from({ length: rows }, (_, row) => line(({ cells }) => cells[row] ?? '', false))]
}

/** A value that takes more lines hides the others. */
const mostLines = 8

/** Returns the lines of one record: a name and a value each, folded at a width. Names without a value
 * are left out, and very long values are shown in part. */
export function recordLines(
  record: readonly (readonly [name: string, value: string])[],
  width: number,
  paint: (value: string, name: string) => string,
): readonly string[] {
  const shown = record.filter(([, value]) => value !== '')
  const indent = Math.max(0, ...shown.map(([name]) => widthOf(name))) + gap
  return shown.flatMap(([name, value]) => {
    const parts = foldWords(value, Math.max(20, width - indent))
    const lines = parts.length > mostLines ? [...parts.slice(0, 2), '… (all of it: --full)'] : parts
    return lines.map((part, index) => `${padded(index === 0 ? name : '', indent, false)}${paint(part, name)}`)
  })
}
