import { type Command, Option } from 'commander'
import type { Answer } from '../../client/index.ts'
import { timeInPast, wholeNumber } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { firstRows } from './rows.ts'

type Delivery = Answer<'listDeliveries'>['data'][number]

const columns: Columns<Delivery> = {
  delivery: { of: ({ id }) => id, rank: 3, least: 31 },
  time: { of: ({ created }) => created, look: 'time' },
  event: { of: ({ event }) => event, least: 14 },
  call: { of: ({ uuid }) => uuid, look: 'id', rank: 2 },
  sequence: { of: ({ sequence }) => sequence, rank: 4 },
  state: { of: ({ state }) => state, look: 'state' },
  attempts: { of: ({ attempts }) => attempts?.length, rank: 2 },
  'last answer': {
    of: ({ attempts }) => attempts?.at(-1)?.status ?? attempts?.at(-1)?.reason,
    look: 'state',
    rank: 1,
    least: 11,
  },
}

interface ListOptions {
  readonly state?: 'pending' | 'delivered' | 'failed' | 'skipped'
  readonly limit: number
}

interface ReplayOptions {
  readonly from: number
  readonly to: number
  readonly state?: 'delivered' | 'failed' | 'skipped'
}

/** Adds the commands about what hooks sent. */
export function addDeliveries(hooks: Command, terminal: Terminal): void {
  hooks
    .command('deliveries <hook>')
    .description('List what a hook sent, the newest first.')
    .addOption(new Option('--state <state>', 'only those').choices(['pending', 'delivered', 'failed', 'skipped']))
    .option('--limit <count>', 'how many', wholeNumber(1, 100_000), 40)
    .addHelpText('after', examples('hooks deliveries 0123456789abcdef01234567 --state failed'))
    .action(
      withSession(terminal, async ({ client, out, query }, hook_id: string, { state, limit }: ListOptions) => {
        const paged = { ...query, limit: Math.min(limit, 1000), ...(state === undefined ? {} : { state }) }
        const pages = client.pages('listDeliveries', { params: { hook_id }, query: paged })
        out.list(await firstRows(pages, ({ data }) => data, limit), columns, 'no delivery')
      }),
    )
  hooks
    .command('resend <hook> <delivery>')
    .description('Send one delivery again.')
    .addHelpText('after', examples('hooks resend 0123456789abcdef01234567 msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'))
    .action(
      withSession(terminal, async ({ client, out, query }, hook_id: string, delivery_id: string) => {
        const { data } = await client.call('resendDelivery', { params: { hook_id, delivery_id }, query })
        out.done(data, `${delivery_id} is ${data.state}`)
      }),
    )
  hooks
    .command('replay <hook>')
    .description('Send all deliveries of a time again.')
    .requiredOption('--from <time>', 'the beginning: a time, or a span before now such as 2h', timeInPast)
    .option('--to <time>', 'the end (default: now)', timeInPast)
    .addOption(new Option('--state <state>', 'only those').choices(['delivered', 'failed', 'skipped']))
    .addHelpText('after', examples('hooks replay 0123456789abcdef01234567 --from 2h --state failed'))
    .action(
      withSession(
        terminal,
        async ({ client, out, query, signal }, hook_id: string, options: Partial<ReplayOptions>) => {
          const { from = 0, to = Date.now(), state } = options
          const range = { from, to, ...(state === undefined ? {} : { state }) }
          const total = { requeued: 0, pending: 0, left: 0 }
          for (let cursor: string | null | undefined; cursor !== null && !signal.aborted; ) {
            const body = cursor === undefined ? range : { ...range, cursor }
            const { data } = await client.call('replayDeliveries', { params: { hook_id }, query, body })
            total.requeued += data.requeued
            total.pending += data.pending
            total.left += data.left
            cursor = data.next
            out.progress(`${total.requeued} deliveries are sent again`)
          }
          const rest = `${total.pending} were waiting anyway, ${total.left} were left out`
          out.done(total, `${total.requeued} deliveries are sent again; ${rest}`)
        },
      ),
    )
}
