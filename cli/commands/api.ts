import type { Command } from 'commander'
import type { OperationId } from '../../client/index.ts'
import { operations } from '../../client/operations.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import { readText } from '../input/values.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

const notes = `
Fields of the path, the query (GET, DELETE) or the body are given as name=value, or as name:=value for JSON such as true.`

/** Adds the command that calls any operation of the API, for those without a command of their own. */
export function addApi(program: Command, terminal: Terminal): void {
  program
    .command('api [operation] [fields...]')
    .description('Call an operation of the API and print its answer as JSON; without one, list the operations.')
    .option('--body <file>', 'the body, a JSON file ("-" is standard input)')
    .addHelpText(
      'after',
      `${notes}\n${examples('api', 'api sendTestMail to=me@example.com', 'api holdRecordings uuid=5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11 hold:=true', 'api createRole --body clerk.json')}`,
    )
    .action(withSession(terminal, callOperation))
}

async function callOperation(
  { client, out, query, signal }: Session,
  operation: string | undefined,
  fields: readonly string[],
  { body: file }: { readonly body?: string },
): Promise<void> {
  if (operation === undefined) return list(out)
  if (!isOperation(operation))
    throw new CliError(`no operation is called ${operation}; see: callplane api`, exitCodes.usage)
  const { method, path } = operations[operation]
  const given = Object.fromEntries(fields.map(readField))
  const isOfPath = ([name]: [string, unknown]) => path.includes(`{${name}}`)
  const others = Object.entries(given).filter((field) => !isOfPath(field))
  const isAsked = method === 'GET' || method === 'DELETE'
  if (file !== undefined && method === 'GET') throw new CliError(`${operation} takes no body`, exitCodes.usage)
  if (file !== undefined && !isAsked && others[0] !== undefined) {
    const [name] = others[0]
    throw new CliError(`${name}: with --body, the fields of the body stand in its file alone`, exitCodes.usage)
  }
  const body = file === undefined ? Object.fromEntries(others) : readBody(file)
  const input = {
    params: Object.fromEntries(Object.entries(given).filter(isOfPath)),
    query: isAsked ? { ...query, ...Object.fromEntries(others) } : query,
    ...(file === undefined && (isAsked || others.length === 0) ? {} : { body }),
    signal,
  }
  // The names come from the table of operations, and the platform checks the fields.
  out.json(await client.call(operation, input))
}

function isOperation(name: string): name is OperationId {
  return Object.hasOwn(operations, name)
}

function list(out: Session['out']): void {
  const rows = Object.entries(operations).map(([name, { method, path }]) => ({ name, method, path }))
  out.list(
    rows,
    { operation: (row) => row.name, method: (row) => row.method, path: { of: (row) => row.path, least: 20 } },
    '',
  )
}

function readField(text: string): [string, unknown] {
  const [, name = '', isJson = '', value = ''] = /^([\w-]+)(:?)=(.*)$/s.exec(text) ?? []
  if (name === '') throw new CliError(`a field is name=value, got ${JSON.stringify(text)}`, exitCodes.usage)
  return [name, isJson === '' ? value : readJson(value, text)]
}

function readBody(file: string): unknown {
  return readJson(readText(file), file)
}

function readJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CliError(`${where} must be JSON`, exitCodes.usage, error)
  }
}
