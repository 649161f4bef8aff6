import { CsvError, type Info, parse } from 'csv-parse/sync'
import { CliError, exitCodes } from '../failure/exit.ts'

/** An account of a CSV file. `problem`: what is wrong with the row, if anything. */
export interface AccountRow {
  /** The line of the file that the row ends on. */
  readonly line: number
  readonly login: string
  readonly role?: string
  readonly password?: string
  /** Each `name=value`. */
  readonly variables: readonly string[]
  readonly parameters: readonly string[]
  readonly problem?: string
}

/** As many accounts as a domain may have. */
const mostRows = 10_000
const known = /^(?:login|role|password|number|(?:variable|parameter):[A-Za-z0-9_-]{1,64})$/

/**
 * Returns the accounts of a CSV file. Throws for a file that is no CSV, has too many rows, or columns that mean
 * nothing; `name` is that of the file in messages.
 */
export function readAccountRows(text: string, name: string): readonly AccountRow[] {
  const wrong = (problem: string, cause?: unknown) => new CliError(`${name}: ${problem}`, exitCodes.usage, cause)
  const rows = parseRows(text, wrong)
  if (rows.length > mostRows) throw wrong(`it has ${rows.length} rows; at most ${mostRows} are taken`)
  const logins = new Map<string, number>()
  const numbers = new Map<string, number>()
  return rows.map(({ record, info: { lines: line } }) => {
    const row = rowOf(record, line)
    const before = row.login === '' ? undefined : lineBefore(logins, row.login.toLowerCase(), line)
    if (before !== undefined) return Object.assign(row, { problem: `line ${before} has this login too` })
    const distinct = new Set((record['number'] ?? '').split(';').filter(Boolean))
    for (const number of distinct) {
      const other = lineBefore(numbers, number, line)
      if (other !== undefined) return Object.assign(row, { problem: `line ${other} has the number ${number} too` })
    }
    return row
  })
}

function lineBefore(lines: Map<string, number>, text: string, line: number): number | undefined {
  const before = lines.get(text)
  if (before === undefined) lines.set(text, line)
  return before
}

interface Parsed {
  readonly record: Readonly<Record<string, string>>
  readonly info: Pick<Info, 'lines'>
}

function parseRows(text: string, wrong: (problem: string, cause?: unknown) => CliError): readonly Parsed[] {
  const columns = (names: string[]) => {
    const unknown = names.filter((each) => !known.test(each))
    if (unknown.length > 0)
      throw wrong(`unknown column ${JSON.stringify(unknown[0])}; see: callplane accounts import --help`)
    if (!names.includes('login')) throw wrong('the first line must name the columns, and login among them')
    if (new Set(names).size < names.length) throw wrong('a column is there twice')
    return names
  }
  try {
    const rows = parse(text, { bom: true, columns, info: true, skip_empty_lines: true, trim: true })
    return withWholePasswords(rows as unknown as readonly Parsed[], text)
  } catch (error) {
    if (error instanceof CsvError) throw wrong(error.message, error)
    throw error
  }
}

/** Blanks at the ends of a password are a part of it; those around a cell in quotation marks are not. */
function withWholePasswords(rows: readonly Parsed[], text: string): readonly Parsed[] {
  const options = { bom: true, skip_empty_lines: true, relax_quotes: true, relax_column_count: true }
  const [names = [], ...cells]: readonly (readonly string[])[] = parse(text, options)
  const column = names.findIndex((name) => name.trim() === 'password')
  if (column < 0 || cells.length !== rows.length) return rows
  return rows.map(({ record, info }, at) => {
    const [trimmed = '', whole = ''] = [record['password'], cells[at]?.[column]]
    return { info, record: { ...record, password: trimmed !== '' && whole.trim() === trimmed ? whole : trimmed } }
  })
}

function rowOf(record: Readonly<Record<string, string>>, line: number): AccountRow {
  const { login = '', role = '', password = '', number = '' } = record
  const pairs = (kind: string) =>
    Object.entries(record).flatMap(([column, value]) =>
      column.startsWith(`${kind}:`) && value !== '' ? [`${column.slice(kind.length + 1)}=${value}`] : [],
    )
  const numbers = number === '' ? [] : [`svc-extensions=${number.replaceAll(';', ',')}`]
  const isLogin = /^[A-Za-z0-9._+-]{1,64}$/.test(login)
  return {
    line,
    login,
    ...(role === '' ? {} : { role }),
    ...(password === '' ? {} : { password }),
    variables: pairs('variable'),
    parameters: [...pairs('parameter'), ...numbers],
    ...(isLogin ? {} : { problem: 'login must be 1 to 64 letters, digits, ".", "_", "+" and "-"' }),
  }
}
