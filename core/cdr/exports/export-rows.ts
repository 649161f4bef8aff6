import type { Cdr } from '../cdr.ts'
import { fieldTypeOf, plainFields } from '../cdr-fields.ts'
import type { ExportFormat } from './export-job.ts'
import { valuesOf } from '../field-values.ts'

/** The way in which a format writes its lines, each with its end. */
export interface ExportLines {
  /** The first line of the file; empty for a format without a heading. */
  readonly heading: string
  readonly line: (cdr: Cdr) => string
}

/** The default columns of an export: the contract's fields with one value. */
export const usualExportColumns: readonly string[] = plainFields

/** The media type of a file of a format. */
export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
}

/**
 * Returns the lines of a format with these columns. CSV follows RFC 4180 with a heading; several values of a field are
 * joined by `; `, and a text that a spreadsheet would run as a formula is prefixed with an apostrophe. JSON lines
 * contain the columns that the CDR has, recordings as arrays. Dates are ISO 8601 in UTC.
 */
export function exportLines(format: ExportFormat, columns: readonly string[]): ExportLines {
  if (format === 'jsonl') {
    return { heading: '', line: (cdr) => `${JSON.stringify(Object.fromEntries(membersOf(cdr, columns)))}\n` }
  }
  const record = (cells: readonly string[]) => `${cells.map(quoted).join(',')}\r\n`
  return {
    heading: record(columns),
    line: (cdr) => record(columns.map((column) => shownValues(cdr, column).join('; '))),
  }
}

function membersOf(cdr: Cdr, columns: readonly string[]): [string, unknown][] {
  return columns.flatMap((column) => {
    const values = shownValues(cdr, column)
    if (values.length === 0) return []
    return [[column, column.startsWith('recordings.') ? values : values[0]]]
  })
}

function shownValues(cdr: Cdr, column: string): readonly (string | number)[] {
  const isDate = fieldTypeOf(column) === 'date'
  return valuesOf(cdr, column).map((value) => (isDate ? new Date(value).toISOString() : value))
}

/** The beginning of a formula in spreadsheets, with East Asia's wide signs; signed numbers are not formulas. */
const formula = /^(?:[=@＝＠\t\r\n]|[+\-＋－](?![\d ]+$))/

function quoted(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
