import type { Command } from 'commander'
import type { Answer } from '../../client/index.ts'
import { CliError } from '../failure/exit.ts'
import { confirm } from '../input/confirm.ts'
import { isoTime } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { allRows } from './rows.ts'

type Entry = Answer<'readBlacklist'>[number]

interface AddOptions {
  readonly note?: string
  readonly expires?: number
}

/** Adds the commands about blacklists. */
export function addBlacklists(program: Command, terminal: Terminal): void {
  const lists = program.command('blacklists').description('Blacklists, named lists of numbers whose calls are refused.')
  addReading(lists, terminal)
  lists
    .command('add <list> <number>')
    .description('Put a number on a list; the list begins with its first number.')
    .option('--note <text>', 'why')
    .option('--expires <time>', 'until when, ISO 8601 (default: for ever)', isoTime)
    .addHelpText('after', examples('blacklists add spam 4930123456 --note "calls at night"'))
    .action(
      withSession(
        terminal,
        async ({ client, out, query }, blacklist_name: string, number: string, options: AddOptions) => {
          const { note, expires } = options
          const given = { ...(note === undefined ? {} : { note }), ...(expires === undefined ? {} : { expires }) }
          const body = { number, ...given }
          const answer = await client.call('addBlacklistNumber', { params: { blacklist_name }, query, body })
          out.done(
            answer,
            answer.Modified === 1 ? `${number} is on ${blacklist_name}` : `${number} was on ${blacklist_name} already`,
          )
        },
      ),
    )
  lists
    .command('remove <list> <number>')
    .description('Take a number off a list; the list ends with its last number.')
    .addHelpText('after', examples('blacklists remove spam 4930123456'))
    .action(
      withSession(terminal, async ({ client, out, query }, blacklist_name: string, blacklist_number: string) => {
        const params = { blacklist_name, blacklist_number }
        const answer = await client.call('removeBlacklistNumber', { params, query })
        if (answer.n === 0) throw new CliError(`${blacklist_number} is not on ${blacklist_name}`)
        out.done(answer, `${blacklist_number} is off ${blacklist_name}`)
      }),
    )
  lists
    .command('delete <list>')
    .description('Delete a list with all its numbers.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('blacklists delete spam --yes'))
    .action(
      withSession(terminal, async ({ client, out, query }, blacklist_name: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the blacklist ${blacklist_name}`, blacklist_name, yes)
        const answer = await client.call('deleteBlacklist', { params: { blacklist_name }, query })
        if (answer.n === 0) throw new CliError(`there is no blacklist ${blacklist_name}`)
        out.done(answer, `deleted ${blacklist_name} with ${answer.n} numbers`)
      }),
    )
}

function addReading(lists: Command, terminal: Terminal): void {
  lists
    .command('list')
    .description('List the blacklists of the domain.')
    .addHelpText('after', examples('blacklists list'))
    .action(
      withSession(terminal, async ({ client, out, query }) => {
        const rows = await allRows(client.pages('listBlacklists', { query }), (page) => page)
        out.list(rows, { name: (row) => row.name }, 'no blacklist')
      }),
    )
  lists
    .command('get <list>')
    .description('List the numbers of a blacklist.')
    .addHelpText('after', examples('blacklists get spam'))
    .action(
      withSession(terminal, async ({ client, out, query }, blacklist_name: string) => {
        const paged = { params: { blacklist_name }, query: { ...query, limit: 1000 } }
        const rows = await allRows(client.pages('readBlacklist', paged), (page) => page)
        const columns: Columns<Entry> = {
          number: (row) => row.number,
          expires: { of: (row) => row.expires, look: 'time', rank: 1 },
          note: { of: (row) => row.note, rank: 1, least: 12 },
        }
        out.list(rows, columns, `no number on ${blacklist_name}`)
      }),
    )
}
