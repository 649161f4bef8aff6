import type { Command } from 'commander'
import { CliError, exitCodes } from '../failure/exit.ts'
import { confirm } from '../input/confirm.ts'
import { askSecret, readSecret } from '../input/secret.ts'
import { collect } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addImport } from './accounts-import.ts'
import { examples } from './examples.ts'
import { allRows, inOrder } from './rows.ts'

interface AccountOptions {
  readonly role?: string
  readonly number?: string
  readonly password?: true
  readonly passwordStdin?: true
  readonly variable?: readonly string[]
  readonly parameter?: readonly string[]
}

/** Adds the commands about accounts. */
export function addAccounts(program: Command, terminal: Terminal): void {
  const accounts = program.command('accounts').description('Accounts, the users and phones of a domain.')
  addReading(accounts, terminal)
  accounts
    .command('create <login>')
    .description('Make an account. Its password is asked for, unless it is piped in.')
    .requiredOption('--role <role>', 'admin, user, or a role of the domain')
    .option('--number <numbers>', 'its numbers, separated by commas (default: the login)')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .option('--variable <name=value>', 'a variable; may be given several times', collect)
    .option('--parameter <name=value>', 'a parameter; may be given several times', collect)
    .addHelpText(
      'after',
      examples(
        'accounts create 1005 --role user --number 1005,4930123456',
        'accounts create 1005 --role user --variable default_language=de --password-stdin < password.txt',
      ),
    )
    .action(
      withSession(terminal, async ({ client, out, query }, login: string, options: AccountOptions) => {
        const password = await newPassword(terminal, login, options)
        const body = { login, role: options.role ?? 'user', password, ...fieldsOf(options) }
        const { data } = await client.call('createAccount', { query, body })
        out.done(withoutDigest(data), `created ${login}`)
      }),
    )
  accounts
    .command('update <login>')
    .description('Change an account; what is not named stays as it is. An empty value removes a variable or parameter.')
    .option('--role <role>', 'its new role')
    .option('--number <numbers>', 'its new numbers, separated by commas')
    .option('--password', 'ask for a new password')
    .option('--password-stdin', 'read a new password from the first line of standard input')
    .option('--variable <name=value>', 'a variable; may be given several times', collect)
    .option('--parameter <name=value>', 'a parameter; may be given several times', collect)
    .addHelpText('after', examples('accounts update 1005 --role admin', 'accounts update 1005 --password'))
    .action(
      withSession(terminal, async ({ client, out, query }, login: string, options: AccountOptions) => {
        const hasNew = options.password === true || options.passwordStdin === true
        const password = hasNew ? { password: await newPassword(terminal, login, options) } : {}
        const role = options.role === undefined ? {} : { role: options.role }
        const body = { ...password, ...role, ...fieldsOf(options) }
        if (Object.keys(body).length === 0) throw new CliError('name at least one thing to change', exitCodes.usage)
        const { info } = await client.call('updateAccount', { params: { account_id: login }, query, body })
        out.done(withoutDigest(info), `updated ${login}`)
      }),
    )
  accounts
    .command('delete <login>')
    .description('Delete an account. Its call records and recordings remain.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('accounts delete 1005 --yes'))
    .action(
      withSession(terminal, async ({ client, out, query }, login: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the account ${login}`, login, yes)
        const answer = await client.call('deleteAccount', { params: { account_id: login }, query })
        out.done(answer, `deleted ${login}`)
      }),
    )
  addImport(accounts, terminal)
}

function addReading(accounts: Command, terminal: Terminal): void {
  accounts
    .command('list')
    .description('List the accounts of the domain.')
    .addHelpText('after', examples('accounts list', 'accounts list --domain pbx.example.com --json'))
    .action(
      withSession(terminal, async ({ client, out, query }) => {
        const rows = await allRows(client.pages('listAccounts', { query }), inOrder)
        const columns: Columns<(typeof rows)[number]> = {
          login: { of: (row) => row.id, least: 12 },
          domain: { of: (row) => row.domain, rank: 1, least: 12 },
          online: { of: (row) => (row.online === true ? 'yes' : 'no'), look: 'state' },
          state: { of: (row) => row.state, look: 'state' },
        }
        out.list(rows, columns, 'no account')
      }),
    )
  accounts
    .command('get <login>')
    .description('Show an account. The digest of its password, with which a phone can register, is left out.')
    .option('--show-digest', 'print the digest too')
    .addHelpText('after', examples('accounts get 1000'))
    .action(
      withSession(terminal, async ({ client, out, query }, account_id: string, options: { showDigest?: true }) => {
        const { data } = await client.call('readAccount', { params: { account_id }, query })
        const shown = options.showDigest === true ? data : withoutDigest(data)
        out.record(shown, shown)
      }),
    )
}

function withoutDigest(detail: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(detail).filter(([name]) => name !== 'a1-hash'))
}

function fieldsOf({ number, variable, parameter }: AccountOptions) {
  const parameters = [...(parameter ?? []), ...(number === undefined ? [] : [`svc-extensions=${number}`])]
  return {
    ...(variable === undefined ? {} : { variables: variable }),
    ...(parameters.length === 0 ? {} : { parameters }),
  }
}

async function newPassword(terminal: Terminal, login: string, { passwordStdin }: AccountOptions): Promise<string> {
  if (passwordStdin === true) return readSecret(terminal)
  return askSecret(terminal, `New password of ${login}: `, 'pipe the password in and give --password-stdin')
}
