import type { Command } from 'commander'
import { runEngineCheck } from '../engine/run-engine-check.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import { withSetting } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

const after = `
The event sockets stand in ENGINE_URL, such as esl://:<password>@127.0.0.1:8021; several are separated by commas. ENGINE_PASSWORD is the
password of those that name none. No login is needed. Ends with 1 if anything is to be changed, and with 4 if an engine cannot be reached.
`

/** Adds the command that examines an engine itself. */
export function addEngine(program: Command, terminal: Terminal): void {
  program
    .command('engine')
    .description('A FreeSWITCH engine.')
    .command('check')
    .description('Show each thing that an engine lacks or has wrong, with the line to change. It only reads.')
    .option(
      '--account <login@domain>',
      'an account that the engine must find at the platform (default: $ENGINE_ACCOUNT)',
    )
    .addHelpText('after', after + examples('engine check', 'engine check --account 1000@demo.example.com --json'))
    .action(
      withSetting(terminal, async ({ out }, { account }: { account?: string }) => {
        const { status, problem } = await runEngineCheck(terminal, out, account)
        if (status === 'clean') return
        if (status === 'findings') throw new CliError('an engine needs changes: have the lines above instead')
        const exits = { misused: exitCodes.usage, unreachable: exitCodes.unreachable, failed: exitCodes.failed }
        throw new CliError(problem, exits[status])
      }),
    )
}
