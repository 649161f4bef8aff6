import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Answer } from '../../client/index.ts'
import { wholeNumber } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

type Channel = Answer<'listChannels'>['data']['rows'][number]

const columns: Columns<Channel> = {
  uuid: (row) => row.uuid,
  account: (row) => row.presence_id,
  from: (row) => row.cid_num,
  to: (row) => row.dest,
  state: (row) => row.callstate,
  created: (row) => row.created,
}

/** Adds the commands about calls: channels list, call, hold, unhold, hangup. */
export function addChannels(program: Command, terminal: Terminal): void {
  program
    .command('channels')
    .description('Channels, the sides of live calls.')
    .command('list')
    .description('List the live channels.')
    .option('--watch', 'go on and print each channel that begins, changes or ends, until Ctrl-C')
    .option('--interval <seconds>', 'with --watch: how often to look', wholeNumber(1, 3600), 2)
    .addHelpText('after', examples('channels list', 'channels list --watch', 'channels list --json'))
    .action(
      withSession(terminal, async (session, { watch, interval }: { watch?: true; interval: number }) => {
        if (watch === true) return watchChannels(session, interval * 1000)
        const { data } = await session.client.call('listChannels', { query: session.query })
        session.out.list(data.rows, columns, 'no call')
      }),
    )
  program
    .command('call <number>')
    .description('Ring an account, and connect it with a number when it answers.')
    .option('--from <login>', 'the account that is rung (default: yours)')
    .option('--timeout <seconds>', 'how long it rings', wholeNumber(5, 120))
    .option('--no-wait', 'do not wait until the account answers')
    .addHelpText('after', examples('call 9196', 'call 4930123456 --from 1001', 'call 9196 --no-wait'))
    .action(
      withSession(terminal, async ({ client, out, query }, calledId: string, options: CallOptions) => {
        const from = options.from === undefined ? {} : { callerId: options.from }
        const timeout = options.timeout === undefined ? {} : { timeout: options.timeout }
        const wait = options.wait ? {} : { wait: 'none' as const }
        const answer = await client.call('originateCall', { query, body: { calledId, ...from, ...timeout, ...wait } })
        out.done(answer, answer.info.replace(/^\+OK\s+/, '').trim())
        if (answer.pending === true) out.note('the account is still ringing')
      }),
    )
  addHold(program, terminal, 'hold', 'Put a channel on hold.')
  addHold(program, terminal, 'unhold', 'Take a channel off hold.')
  program
    .command('hangup <uuid>')
    .description('End a channel.')
    .option('--cause <word>', 'the cause, a word of the engine such as USER_BUSY')
    .addHelpText('after', examples('hangup 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'))
    .action(
      withSession(terminal, async ({ client, out, query }, channel_id: string, { cause }: { cause?: string }) => {
        const given = cause === undefined ? query : { ...query, cause }
        out.done(await client.call('hangUpChannel', { params: { channel_id }, query: given }), `ended ${channel_id}`)
      }),
    )
}

interface CallOptions {
  readonly from?: string
  readonly timeout?: number
  readonly wait: boolean
}

function addHold(program: Command, terminal: Terminal, state: 'hold' | 'unhold', description: string): void {
  program
    .command(`${state} <uuid>`)
    .description(description)
    .addHelpText('after', examples(`${state} 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11`))
    .action(
      withSession(terminal, async ({ client, out, query }, channel_id: string) => {
        const answer = await client.call('holdChannel', { params: { channel_id }, query, body: { state } })
        out.done(answer, `${channel_id} is ${state === 'hold' ? 'on' : 'off'} hold`)
      }),
    )
}

async function watchChannels({ client, out, query, signal }: Session, intervalMs: number): Promise<void> {
  let known = new Map<string, Channel>()
  out.note('watching; end with Ctrl-C')
  while (!signal.aborted) {
    const { data } = await client.call('listChannels', { query })
    const now = new Map(data.rows.map((row) => [row.uuid ?? '', row]))
    const changes = [
      ...[...now].filter(([uuid, row]) => known.get(uuid)?.callstate !== row.callstate).map(([, row]) => row),
      ...[...known].filter(([uuid]) => !now.has(uuid)).map(([, row]) => Object.assign({}, row, { callstate: 'gone' })),
    ]
    for (const row of changes) {
      if (out.isJson) out.json({ at: new Date().toISOString(), ...row }, true)
      else out.line(`${new Date().toISOString()}  ${row.uuid}  ${row.cid_num} to ${row.dest}  ${row.callstate}`)
    }
    known = now
    await pause(intervalMs, undefined, { signal }).catch(() => {})
  }
}
