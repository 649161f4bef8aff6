import { terminalText } from '../../client/index.ts'

/** A value that a cell can show. */
export type Cell = string | number | boolean | null | undefined

/** The columns of a table: title and the value of a row. */
export type Columns<T> = Readonly<Record<string, (row: T) => Cell>>

/** Returns the lines of a table: titles in capitals, columns two spaces apart, numbers to the right. */
export function tableLines<T>(rows: readonly T[], columns: Columns<T>): readonly string[] {
  const entries = Object.entries(columns)
  const values = rows.map((row) => entries.map(([, of]) => of(row)))
  const cells = [entries.map(([title]) => terminalText(title.toUpperCase())), ...values.map((row) => row.map(textOf))]
  const widths = entries.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const isNumeric = entries.map((_, column) => values.some((row) => typeof row[column] === 'number'))
  return cells.map((row) =>
    row
      .map((cell, column) =>
        isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

/** Returns the lines of one record: a name and a value each. */
export function recordLines(record: Readonly<Record<string, Cell>>): readonly string[] {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length))
  return Object.entries(record).map(([name, value]) =>
    `${terminalText(name).padEnd(width)}  ${textOf(value)}`.trimEnd(),
  )
}

function textOf(value: Cell): string {
  return value === undefined || value === null ? '' : terminalText(String(value))
}
