import { setTimeout as pause } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { Answer } from '../../client/index.ts'
import { wholeNumber } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addCall } from './call.ts'
import { examples } from './examples.ts'

type Channel = Answer<'listChannels'>['data']['rows'][number]

const columns: Columns<Channel> = {
  uuid: { of: (row) => row.uuid, look: 'id' },
  account: { of: (row) => row.presence_id, rank: 2, least: 12 },
  from: { of: (row) => row.cid_num, least: 8 },
  to: { of: (row) => row.dest, least: 8 },
  state: { of: (row) => row.callstate, look: 'state' },
  began: {
    of: ({ created_epoch }) => (created_epoch === undefined ? undefined : 1000 * Number(created_epoch)),
    look: 'time',
    rank: 1,
  },
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
  addCall(program, terminal)
  addEavesdrop(program, terminal)
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

function addEavesdrop(program: Command, terminal: Terminal): void {
  program
    .command('eavesdrop <uuid>')
    .description('Ring a phone and let it listen to a channel.')
    .option('--user <login>', 'the account whose phone rings (default: yours)')
    .addOption(
      new Option('--mode <mode>', 'who hears the listener').choices(['listen', 'whisper_a', 'whisper_b', 'barge']),
    )
    .addHelpText('after', examples(`eavesdrop 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11 --user 1000`))
    .action(
      withSession(terminal, async ({ client, out, query }, channel_id: string, body: EavesdropOptions) => {
        const answer = await client.call('eavesdropChannel', { params: { channel_id }, query, body })
        out.done(answer, answer.info.replace(/^\+OK\s+/, '').trim())
      }),
    )
}

interface EavesdropOptions {
  readonly user?: string
  readonly mode?: 'listen' | 'whisper_a' | 'whisper_b' | 'barge'
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
      else
        out.fittedLine([
          { text: out.moment(Date.now()), style: 'dim' },
          { text: row.uuid ?? '', style: 'dim' },
          { text: `${row.cid_num ?? ''} to ${row.dest ?? ''}` },
          { text: row.callstate ?? '', isState: true },
        ])
    }
    known = now
    await pause(intervalMs, undefined, { signal }).catch(() => {})
  }
}
