import type { Command } from 'commander'
import type { Input } from '../../client/index.ts'
import { CliError } from '../failure/exit.ts'
import { readObject, wholeNumber } from '../input/values.ts'
import { timeText } from '../output/time.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

/** Adds the tests of hooks: test sends one event, rehearse sends none. */
export function addHookLab(hooks: Command, terminal: Terminal): void {
  hooks
    .command('test <hook>')
    .description('Send one event to the URL of a hook and show the answer. Ends with 1 unless it was delivered.')
    .option('--event-file <path>', 'the fields of the event, a JSON object ("-" is standard input)')
    .option('--force', 'send it also where the filters of the hook refuse it')
    .addHelpText(
      'after',
      examples('hooks test 0123456789abcdef01234567', 'hooks test 0123456789abcdef01234567 --force'),
    )
    .action(
      withSession(terminal, async ({ client, out, query }, hook_id: string, options: TestOptions) => {
        const event = options.eventFile === undefined ? {} : { event: readObject(options.eventFile) as EventFields }
        const body = { ...event, ...(options.force === true ? { force: true } : {}) }
        const { data } = await client.call('testHook', { params: { hook_id }, query, body })
        out.record(data, {
          state: data.state,
          reason: data.reason,
          request: data.sent === null ? undefined : `${data.sent.method} ${data.sent.url}`,
          answer: data.reply?.status,
          'took (ms)': data.reply?.durationMs,
          body: data.reply?.snippet,
          'refused by': data.refusedBy
            .map(({ field, operation, value }) => `${field} ${operation} ${value}`)
            .join(', '),
        })
        if (data.state !== 'delivered') throw new CliError(`the test was not delivered: ${data.reason ?? data.state}`)
      }),
    )
  hooks
    .command('rehearse <hook>')
    .description('Show which of the latest events a hook would send. Nothing is sent.')
    .option('--limit <count>', 'how many events to show', wholeNumber(1, 100), 20)
    .addHelpText(
      'after',
      examples('hooks rehearse 0123456789abcdef01234567', 'hooks rehearse 0123456789abcdef01234567 --json'),
    )
    .action(
      withSession(terminal, async ({ client, out, query }, hook_id: string, { limit }: { limit: number }) => {
        const { data: hook } = await client.call('readHook', { params: { hook_id }, query })
        const { event, action, fields, map, filter, headers, auth, customBody, rawBody, rawSubstitution } = hook
        // The platform stored the filter, so it takes it.
        const shape = { event, action, fields, map, headers, customBody, rawBody, filter: filter as Filter }
        const raw = rawSubstitution === undefined ? {} : { rawSubstitution }
        const body = { ...shape, ...raw, ...(auth.enabled ? { auth } : {}) }
        const { data } = await client.call('dryRunHook', { query: { ...query, limit }, body })
        const columns = {
          sequence: (row: (typeof data.events)[number]) => row.sequence,
          time: (row: (typeof data.events)[number]) => timeText(row.occurredAt),
          call: (row: (typeof data.events)[number]) => row.uuid,
          sends: (row: (typeof data.events)[number]) => (row.matches ? 'yes' : 'no'),
          'refused by': (row: (typeof data.events)[number]) =>
            row.refusedBy.map(({ field, operation, value }) => `${field} ${operation} ${value}`).join(', ') ||
            row.problem,
        }
        if (out.isJson) return out.json(data)
        out.list(data.events, columns, `no event of the name ${event} among the latest ${data.looked}`)
        out.note(
          `of the latest ${data.looked} events ${data.matched} would be sent, ${data.refused} are refused by filters`,
        )
      }),
    )
}

interface TestOptions {
  readonly eventFile?: string
  readonly force?: true
}

type Filter = NonNullable<Input<'dryRunHook'>['body']['filter']>
type EventFields = NonNullable<NonNullable<Input<'testHook'>['body']>['event']>
