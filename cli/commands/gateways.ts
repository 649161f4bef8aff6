import type { Command } from 'commander'
import type { Answer, Input } from '../../client/index.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import { confirm } from '../input/confirm.ts'
import { askSecret, readSecret } from '../input/secret.ts'
import { readObject } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { allRows } from './rows.ts'

type GatewayRow = Answer<'listGateways'>['data'][number]
type GatewayBody = Input<'createGateway'>['body']
type GatewayChange = Input<'updateGateway'>['body']

interface PasswordOptions {
  readonly password?: true
  readonly passwordStdin?: true
}

/** Adds the commands about gateways. */
export function addGateways(program: Command, terminal: Terminal): void {
  const gateways = program.command('gateways').description('Gateways, the SIP trunks of a domain, and their states.')
  addReading(gateways, terminal)
  gateways
    .command('create <file>')
    .description('Make a gateway from a JSON file, with the fields that "get --json" shows.')
    .option('--password', 'ask for its password')
    .option('--password-stdin', 'read its password from the first line of standard input')
    .addHelpText('after', examples('gateways create trunk.json --password'))
    .action(
      withSession(terminal, async ({ client, out, query }, file: string, options: PasswordOptions) => {
        // The platform checks the fields and names the wrong ones.
        const body = { ...readObject(file), ...(await passwordOf(terminal, options)) } as GatewayBody
        const { data } = await client.call('createGateway', { query, body })
        out.done(data, `created ${data.name}`)
      }),
    )
  gateways
    .command('update <gateway> [file]')
    .description('Change the fields that a JSON file has, or the password; the others stay as they are.')
    .option('--password', 'ask for its new password')
    .option('--password-stdin', 'read its new password from the first line of standard input')
    .addHelpText('after', examples('gateways update trunk change.json', 'gateways update trunk --password'))
    .action(
      withSession(
        terminal,
        async ({ client, out, query }, gateway_name: string, file: string | undefined, options: PasswordOptions) => {
          if (file === undefined && options.password === undefined && options.passwordStdin === undefined) {
            throw new CliError('name a file, or give --password, so that there is something to change', exitCodes.usage)
          }
          const fields = file === undefined ? {} : readObject(file)
          const body = { ...fields, ...(await passwordOf(terminal, options)) } as GatewayChange
          const { data } = await client.call('updateGateway', { params: { gateway_name }, query, body })
          out.done(data, `updated ${gateway_name}`)
        },
      ),
    )
  gateways
    .command('delete <gateway>')
    .description('Delete a gateway. Its calls that are up stay up.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('gateways delete trunk --yes'))
    .action(
      withSession(terminal, async ({ client, out, query }, gateway_name: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the gateway ${gateway_name}`, gateway_name, yes)
        out.done(await client.call('deleteGateway', { params: { gateway_name }, query }), `deleted ${gateway_name}`)
      }),
    )
}

function addReading(gateways: Command, terminal: Terminal): void {
  gateways
    .command('list')
    .description('List the gateways of the domain, with their states.')
    .addHelpText('after', examples('gateways list'))
    .action(
      withSession(terminal, async ({ client, out, query }) => {
        const rows = await allRows(client.pages('listGateways', { query }), ({ data }) => data)
        const columns: Columns<GatewayRow> = {
          gateway: { of: (row) => row.name, least: 12 },
          state: { of: (row) => row.state, look: 'state' },
          status: { of: (row) => row.status, look: 'state' },
          enabled: { of: (row) => (row.enabled === true ? 'yes' : 'no'), look: 'state', rank: 2 },
          realm: { of: (row) => row.realm, rank: 1, least: 16 },
          registers: { of: (row) => (row.register === true ? 'yes' : 'no'), rank: 3 },
          ignored: { of: (row) => (row.ignored ?? []).join(' '), rank: 4, least: 8 },
          overlaps: { of: (row) => (row.overlaps ?? []).join(' '), rank: 4, least: 8 },
        }
        out.list(rows, columns, 'no gateway')
      }),
    )
  gateways
    .command('get <gateway>')
    .description('Show a gateway. Its password is never shown.')
    .addHelpText('after', examples('gateways get trunk', 'gateways get trunk --json'))
    .action(
      withSession(terminal, async ({ client, out, query }, gateway_name: string) => {
        const { data } = await client.call('readGateway', { params: { gateway_name }, query })
        const shown = Object.entries(data).map(([name, value]): [string, string] => [name, [value].flat().join(' ')])
        out.record(data, Object.fromEntries(shown))
      }),
    )
}

async function passwordOf(terminal: Terminal, { password, passwordStdin }: PasswordOptions) {
  if (passwordStdin === true) return { password: await readSecret(terminal) }
  if (password !== true) return {}
  return {
    password: await askSecret(terminal, 'Password of the gateway: ', 'pipe the password in and give --password-stdin'),
  }
}
