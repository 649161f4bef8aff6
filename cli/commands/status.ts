import type { Command } from 'commander'
import { withSession, withSetting } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { version } from '../session/version.ts'
import { examples } from './examples.ts'

/** Adds the commands about the platform as a whole: status, version. */
export function addStatus(program: Command, terminal: Terminal): void {
  program
    .command('status')
    .description('Show the state of the platform and its engine.')
    .addHelpText('after', examples('status', 'status --json'))
    .action(
      withSession(terminal, async ({ client, out }) => {
        const report = await client.call('readStatus')
        out.record(report, {
          version: report.version,
          connector: report.wConsole.status,
          'connector version': report.wConsole.version,
          'up for (s)': Math.round(report.processUpTimeSec),
          engine: report.freeSWITCH.split('\n')[0],
          'engine instance': report.wConsole.sid,
          'commands waiting': report.wConsole.cmdQueue,
          'signed in users': report.userSessions,
          'connector restarts': report.crashCount,
          'node version': report.nodeVersion,
        })
      }),
    )
  program
    .command('version')
    .description('Show the versions of this program and of Node.')
    .addHelpText('after', examples('version'))
    .action(
      withSetting(terminal, ({ out }) => {
        const versions = { callplane: version(), node: process.versions.node }
        out.record(versions, versions)
      }),
    )
}
