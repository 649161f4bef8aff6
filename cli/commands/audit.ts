import type { Command } from 'commander'
import type { Answer } from '../../client/index.ts'
import { wholeNumber } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { firstRows } from './rows.ts'

type AuditRow = Answer<'listAudit'>['data'][number]

const columns: Columns<AuditRow> = {
  time: { of: ({ at }) => at, look: 'time' },
  caller: { of: ({ caller }) => caller, rank: 1, least: 10 },
  from: { of: ({ sourceAddress }) => sourceAddress, rank: 4, least: 9 },
  request: { of: ({ method, path }) => `${method} ${path}`, least: 30 },
  status: { of: ({ status }) => status, look: 'state' },
  fields: { of: ({ fields }) => fields?.join(' '), rank: 3, least: 10 },
  note: { of: ({ note }) => note, rank: 2, least: 12 },
}

/** Adds the command that reads the audit trail. */
export function addAudit(program: Command, terminal: Terminal): void {
  program
    .command('audit')
    .description('List who changed what in the domain, the newest first.')
    .option('--limit <count>', 'how many', wholeNumber(1, 100_000), 40)
    .addHelpText('after', examples('audit', 'audit --limit 500 --json'))
    .action(
      withSession(terminal, async ({ client, out, query }, { limit }: { limit: number }) => {
        const pages = client.pages('listAudit', { query: { ...query, limit: Math.min(limit, 1000) } })
        out.list(await firstRows(pages, ({ data }) => data, limit), columns, 'nothing was changed yet')
      }),
    )
}
