import type { Command } from 'commander'
import { confirm } from '../input/confirm.ts'
import { collect } from '../input/values.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { allRows, inOrder } from './rows.ts'

interface CreateOptions {
  readonly customer: string
  readonly variable?: readonly string[]
}

/** Adds the commands about domains. */
export function addDomains(program: Command, terminal: Terminal): void {
  const domains = program.command('domains').description('Domains, the tenants of the platform.')
  domains
    .command('list')
    .description('List the domains that you may see.')
    .addHelpText('after', examples('domains list', 'domains list --json'))
    .action(
      withSession(terminal, async ({ client, out }) => {
        const rows = await allRows(client.pages('listDomains'), inOrder)
        out.list(
          rows,
          {
            domain: { of: (row) => row.domain, least: 20 },
            accounts: (row) => row.user,
            'accounts/devices': { of: (row) => row['acc/dvc'], rank: 1 },
          },
          'no domain',
        )
      }),
    )
  domains
    .command('get <name>')
    .description('Show a domain.')
    .addHelpText('after', examples('domains get demo.example.com'))
    .action(
      withSession(terminal, async ({ client, out }, domain_name: string) => {
        const { info } = await client.call('readDomain', { params: { domain_name } })
        out.record(info, {
          domain: info.name,
          customer: info.customer_id,
          created: { time: info.created_on },
          accounts: info.counts.accounts,
          devices: info.counts.devices,
          variables: info.variables.join(' '),
          parameters: info.parameters.join(' '),
        })
      }),
    )
  domains
    .command('create <name>')
    .description('Make a domain.')
    .requiredOption('--customer <id>', 'the id of the customer')
    .option('--variable <name=value>', 'a variable; may be given several times', collect)
    .addHelpText('after', examples('domains create pbx.example.com --customer 4711 --variable timezone=Europe/Berlin'))
    .action(
      withSession(terminal, async ({ client, out }, domain_name: string, options: CreateOptions) => {
        const { customer: customer_id, variable: variables } = options
        const body = { domain_name, customer_id, ...(variables === undefined ? {} : { variables }) }
        const answer = await client.call('createDomain', { body })
        out.done(answer, `created ${domain_name}`)
        if (answer['more info'] !== '') out.note(answer['more info'])
      }),
    )
  domains
    .command('delete <name>')
    .description('Delete a domain with its accounts, routes and hooks, and end its calls.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('domains delete pbx.example.com', 'domains delete pbx.example.com --yes'))
    .action(
      withSession(terminal, async ({ client, out }, domain_name: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the domain ${domain_name}`, domain_name, yes)
        out.done(await client.call('deleteDomain', { params: { domain_name } }), `deleted ${domain_name}`)
      }),
    )
}
