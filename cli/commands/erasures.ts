import type { Command } from 'commander'
import { confirm } from '../input/confirm.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

interface EraseOptions {
  readonly number?: string
  readonly account?: string
  readonly yes?: true
}

/** Adds the commands that erase what names a number or an account. */
export function addErasures(program: Command, terminal: Terminal): void {
  program
    .command('erase')
    .description('Erase what names a number or an account: call records, events, deliveries, recordings, voicemail.')
    .option('--number <number>', 'the number')
    .option('--account <login>', 'the account')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('erase --number +442071838750', 'erase --account 1001 --yes'))
    .action(
      withSession(terminal, async ({ client, out, query }, { number, account, yes }: EraseOptions) => {
        const party = number ?? account
        if (party === undefined || (number !== undefined && account !== undefined)) {
          throw new CliError('say who with --number or --account', exitCodes.usage)
        }
        await confirm(terminal, `erasing ${party}`, party, yes)
        const body = { ...(number !== undefined && { number }), ...(account !== undefined && { account }) }
        const { data } = await client.call('beginErasure', { query, body })
        out.done(data, `began the erasure ${data.jobId}; look with: callplane erasure ${data.jobId}`)
      }),
    )
  program
    .command('erasure <job>')
    .description('Show how far an erasure is and what it has removed.')
    .addHelpText('after', examples('erasure 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'))
    .action(
      withSession(terminal, async ({ client, out, query }, job_id: string) => {
        const { data } = await client.call('readErasure', { params: { job_id }, query })
        out.record(data, { state: data.state, ...data.counts })
      }),
    )
}
