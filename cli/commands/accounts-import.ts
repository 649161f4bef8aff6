import type { Command } from 'commander'
import { CallplaneError } from '../../client/index.ts'
import { CliError } from '../failure/exit.ts'
import { type AccountRow, readAccountRows } from '../input/account-rows.ts'
import { readText } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { allRows } from './rows.ts'

interface ImportOptions {
  readonly dryRun?: true
  readonly update?: true
}

interface Outcome {
  readonly line: number
  readonly login: string
  readonly action: 'create' | 'update' | 'skip' | 'refuse'
  readonly problem?: string
}

const format = `
The file:
  The first line names the columns: login, role and password; number (several separated by ";"), and any of
  variable:<name> and parameter:<name>. An empty cell leaves a field out.

    login,role,password,number,variable:default_language
    1005,user,<password>,1005;4930123456,de

  An account that is there already is skipped; --update changes it to what the row says. A second run of the same
  file therefore creates only what is missing. Nothing is changed if a row has a login or number that another row has, a
  role that the domain lacks, or too little for a new account; --dry-run finds these, too. Values and the numbers of
  other accounts are judged by the platform: it refuses a row by itself, and the others are done.`

/** Adds the import of accounts from a CSV file. */
export function addImport(accounts: Command, terminal: Terminal): void {
  accounts
    .command('import <file>')
    .description('Make the accounts of a CSV file ("-" is standard input).')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--update', 'change accounts that are there already')
    .addHelpText('after', `${format}\n${examples('accounts import staff.csv --dry-run', 'accounts import staff.csv')}`)
    .action(withSession(terminal, importAccounts))
}

async function importAccounts(session: Session, file: string, options: ImportOptions): Promise<void> {
  const { out, client, query, signal } = session
  const rows = readAccountRows(readText(file), file)
  const present = await allRows(client.pages('listAccounts', { query }), ({ data }) => Object.keys(data))
  const roles = await rolesOf(session)
  const planned = plan(rows, { present: new Set(present.map((login) => login.toLowerCase())), roles }, options)
  const isRefused = planned.some(({ action }) => action === 'refuse')
  if (options.dryRun === true || isRefused) {
    report(session, planned)
    if (isRefused) throw new CliError(`${file} has wrong rows; nothing was changed`)
    return out.note('this was a dry run; nothing was changed')
  }
  const done: Outcome[] = []
  try {
    for (const [index, outcome] of planned.entries()) {
      if (signal.aborted) break
      out.progress(`${index} of ${planned.length} rows`)
      done.push(await apply(session, rows[index], outcome))
    }
  } finally {
    report(session, done)
  }
  const refused = done.filter(({ action }) => action === 'refuse').length
  if (signal.aborted)
    throw new CliError(`interrupted after ${done.length} of ${planned.length} rows: run it again to go on`)
  if (refused > 0) throw new CliError(`${refused} of ${planned.length} rows were refused; the others are done`)
}

interface Found {
  /** The logins, in small letters. */
  readonly present: ReadonlySet<string>
  /** The roles that an account can have; `undefined`: the user may not see them. */
  readonly roles: ReadonlySet<string> | undefined
}

async function rolesOf({ client, query }: Session): Promise<ReadonlySet<string> | undefined> {
  try {
    const roles = await allRows(client.pages('listRoles', { query }), ({ info }) => info)
    return new Set(roles.flatMap(({ roles: name }) => (name === undefined || name === 'root' ? [] : name)))
  } catch (error) {
    if (error instanceof CallplaneError && error.status === 403) return undefined
    throw error
  }
}

function plan(rows: readonly AccountRow[], { present, roles }: Found, { update }: ImportOptions): readonly Outcome[] {
  return rows.map(({ line, login, role, password, problem }) => {
    const isPresent = present.has(login.toLowerCase())
    if (problem !== undefined) return { line, login, action: 'refuse', problem }
    const isTaken = !isPresent || update === true
    if (isTaken && role !== undefined && roles?.has(role) === false) {
      return { line, login, action: 'refuse', problem: `role: there is no role "${role}" in the domain` }
    }
    if (isPresent) return { line, login, action: update === true ? 'update' : 'skip' }
    const missing = [...(role === undefined ? ['role'] : []), ...(password === undefined ? ['password'] : [])]
    if (missing.length === 0) return { line, login, action: 'create' }
    return { line, login, action: 'refuse', problem: `a new account needs ${missing.join(' and ')}` }
  })
}

async function apply(session: Session, row: AccountRow | undefined, outcome: Outcome): Promise<Outcome> {
  if (row === undefined || outcome.action === 'skip') return outcome
  const { client, query } = session
  const { login, role = 'user', password = '', variables, parameters } = row
  try {
    if (outcome.action === 'create') {
      await client.call('createAccount', { query, body: { login, role, password, variables, parameters } })
    } else {
      const given = {
        ...(row.role === undefined ? {} : { role }),
        ...(row.password === undefined ? {} : { password }),
      }
      await client.call('updateAccount', {
        params: { account_id: login },
        query,
        body: { ...given, variables, parameters },
      })
    }
    return outcome
  } catch (error) {
    // Other failures concern all rows that follow as well.
    if (!(error instanceof CallplaneError) || ![400, 403, 404, 409].includes(error.status)) throw error
    const problems = error.details.map(({ field, problem }) => `${field}: ${problem}`)
    return { ...outcome, action: 'refuse', problem: problems.length === 0 ? error.message : problems.join('; ') }
  }
}

const columns: Columns<Outcome> = {
  line: ({ line }) => line,
  login: ({ login }) => login,
  action: { of: ({ action }) => action, look: 'state' },
  problem: { of: ({ problem }) => problem, least: 20 },
}

function report({ out }: Session, outcomes: readonly Outcome[]): void {
  out.list(outcomes, columns, 'the file has no rows')
}
