import type { Command } from 'commander'
import type { Answer } from '../../client/index.ts'
import { confirm } from '../input/confirm.ts'
import { wholeNumber } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { domainOf, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { allRows } from './rows.ts'

type TokenRow = Answer<'listDomainTokens'>['info'][number]

interface CreateOptions {
  readonly role: string
  readonly days: number
  readonly description?: string
}

const dayMs = 86_400_000
const uuid = '5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'

/** Adds the commands about the static tokens of a domain. */
export function addTokens(program: Command, terminal: Terminal): void {
  const tokens = program.command('tokens').description('Static tokens of a domain, the credentials of programs.')
  tokens
    .command('list')
    .description('List the tokens of the domain, without their secrets.')
    .addHelpText('after', examples('tokens list'))
    .action(
      withSession(terminal, async (session) => {
        const params = { domain_name: await domainOf(session) }
        const rows = await allRows(session.client.pages('listDomainTokens', { params }), ({ info }) => info)
        const columns: Columns<TokenRow> = {
          token: { of: (row) => row.uuid, look: 'id' },
          role: { of: (row) => row.roleName, least: 8 },
          enabled: { of: (row) => (row.enabled === true ? 'yes' : 'no'), look: 'state' },
          expires: { of: (row) => row.expire, look: 'time', rank: 1 },
          'created by': { of: (row) => row.createdBy, rank: 3, least: 12 },
          description: { of: (row) => row.description, rank: 2, least: 12 },
        }
        session.out.list(rows, columns, 'no token')
      }),
    )
  tokens
    .command('create')
    .description('Make a token and print it. It is shown this once and never again.')
    .requiredOption('--role <role>', 'what it may do; never more than you')
    .option('--days <count>', 'how long it is valid', wholeNumber(1, 1825), 90)
    .option('--description <text>', 'the program that uses it')
    .addHelpText('after', examples('tokens create --role user --days 30 --description "wallboard"'))
    .action(
      withSession(terminal, async (session, { role, days, description }: CreateOptions) => {
        const params = { domain_name: await domainOf(session) }
        const expire = Date.now() + days * dayMs
        const body = { role, expire, ...(description === undefined ? {} : { description }) }
        const { info } = await session.client.call('createDomainToken', { params, body })
        session.out.note(`token ${info.data.uuid}, valid until ${session.out.time(info.data.expire)}`)
        session.out.done(info, info.token)
      }),
    )
  addSwitch(tokens, terminal, 'enable', true)
  addSwitch(tokens, terminal, 'disable', false)
  tokens
    .command('delete <token>')
    .description('Delete a token; it is refused from the next request on.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples(`tokens delete ${uuid} --yes`))
    .action(
      withSession(terminal, async (session, id: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the token ${id}`, id, yes)
        const params = { domain_name: await domainOf(session), uuid: id }
        session.out.done(await session.client.call('deleteDomainToken', { params }), `deleted ${id}`)
      }),
    )
}

function addSwitch(tokens: Command, terminal: Terminal, name: 'enable' | 'disable', state: boolean): void {
  tokens
    .command(`${name} <token>`)
    .description(state ? 'Let a token work again.' : 'Let a token be refused until it is enabled again.')
    .addHelpText('after', examples(`tokens ${name} ${uuid}`))
    .action(
      withSession(terminal, async (session, id: string) => {
        const params = { domain_name: await domainOf(session), uuid: id }
        const { info } = await session.client.call('updateDomainToken', { params, body: { state } })
        session.out.done(info, `${name}d ${id}`)
      }),
    )
}
