import type { Command } from 'commander'
import { CallplaneError } from '../../client/index.ts'
import { type Session, withSession, withSetting } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { spanText } from '../output/time.ts'
import { version } from '../session/version.ts'
import { examples } from './examples.ts'
import { allRows, inOrder } from './rows.ts'

/** Adds the commands about the platform as a whole: status, version. */
export function addStatus(program: Command, terminal: Terminal): void {
  program
    .command('status')
    .description('Show the state of the platform and its engine in one line; --full says more.')
    .addHelpText('after', examples('status', 'status --full'))
    .action(
      withSession(terminal, async (session) => {
        const { out, options } = session
        const report = await session.client.call('readStatus')
        if (out.isJson) return out.json(report)
        const isUp = report.wConsole.status === 'Connected'
        const counts = isUp ? await liveCounts(session) : []
        const parts = [
          `up ${spanText(report.processUpTimeSec)}`,
          ...counts,
          `${report.wConsole.cmdQueue} commands waiting`,
        ]
        const engine = isUp ? 'engine connected' : 'engine not connected'
        const tone = isUp ? 'green' : 'red'
        out.fittedLine([{ text: engine, style: tone }, ...parts.map((text) => ({ text }))], ' · ')
        if (!isUp) return out.note('see: callplane doctor')
        if (options.full !== true) return
        out.record(report, {
          version: report.version,
          'connector version': report.wConsole.version,
          engine: report.freeSWITCH.split('\n')[0],
          'engine instance': report.wConsole.sid,
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

/** Returns the live calls and the phones of the domain, as far as the user may see them. */
async function liveCounts({ client, query }: Session): Promise<readonly string[]> {
  const calls = async () => {
    const { data } = await client.call('listChannels', { query })
    return plural(new Set(data.rows.map(({ call_uuid, uuid }) => call_uuid || uuid)).size, 'call')
  }
  const phones = async () => {
    const accounts = await allRows(client.pages('listAccounts', { query }), inOrder)
    return plural(accounts.filter(({ online }) => online === true).length, 'phone')
  }
  const counts = await Promise.all([calls().catch(unlessRefused), phones().catch(unlessRefused)])
  return counts.filter((count) => count !== undefined)
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** root belongs to no domain, and roles may be narrow. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof CallplaneError) || ![400, 403].includes(error.status)) throw error
}
