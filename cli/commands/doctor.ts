import type { Command } from 'commander'
import { CliError } from '../failure/exit.ts'
import { examine } from '../doctor/examine.ts'
import type { Columns } from '../output/table.ts'
import { withSetting } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

/** Adds the command that looks for what is wrong. */
export function addDoctor(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('Look for what is wrong with the profile, the platform and its engine, and say the next step.')
    .option('--url <address>', 'the address of the platform, without a login')
    .addHelpText(
      'after',
      `\nEnds with 1 if anything is wrong.\n${examples('doctor', 'doctor --url http://127.0.0.1:8080')}`,
    )
    .action(
      withSetting(terminal, async (setting, { url }: { url?: string }) => {
        const findings = await examine(setting, url)
        const columns: Columns<(typeof findings)[number]> = {
          check: (row) => row.check,
          result: { of: (row) => row.result, look: 'state' },
          found: { of: (row) => row.found, least: 20 },
        }
        setting.out.list(findings, columns, '')
        if (!setting.out.isJson)
          for (const { check, next } of findings) if (next !== undefined) setting.out.line(`${check}: ${next}`, 'bold')
        const wrong = findings.filter(({ result }) => result === 'wrong').length
        if (wrong > 0)
          throw new CliError(`${wrong} of ${findings.length} checks failed; begin with the first next step`)
      }),
    )
}
