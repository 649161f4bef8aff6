import type { Command } from 'commander'
import type { Answer, Input } from '../../client/index.ts'
import { CliError } from '../failure/exit.ts'
import { readObject, wholeNumber } from '../input/values.ts'
import type { Columns } from '../output/table.ts'
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
          state: { state: data.state },
          request: data.sent === null ? undefined : `${data.sent.method} ${data.sent.url}`,
          answer: { state: data.reply?.status },
          took: data.reply === null ? undefined : `${data.reply.durationMs} ms`,
          body: data.reply?.snippet,
          'refused by': refusal(data.refusedBy),
        })
        if (data.state !== 'delivered') throw new CliError(notDelivered(data))
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
        const columns: Columns<(typeof data.events)[number]> = {
          sequence: { of: (row) => row.sequence, rank: 2 },
          time: { of: (row) => row.occurredAt, look: 'time' },
          call: { of: (row) => row.uuid, look: 'id', rank: 1 },
          sends: { of: (row) => (row.matches ? 'yes' : 'no'), look: 'state' },
          'refused by': { of: (row) => refusal(row.refusedBy) || row.problem, least: 16 },
        }
        if (out.isJson) return out.json(data)
        out.list(data.events, columns, `no event of the name ${event} among the latest ${data.looked}`)
        out.note(
          `of the latest ${data.looked} events ${data.matched} would be sent, ${data.refused} are refused by filters`,
        )
      }),
    )
}

function refusal(
  by: readonly { readonly field: string; readonly operation: string; readonly value: unknown }[],
): string {
  return by.map(({ field, operation, value }) => `${field} ${operation} ${String(value)}`).join(', ')
}

/** Reasons why a request got no answer, in the words of a person; `host` is that of the URL. */
const unsent: Readonly<Record<string, (host: string) => string>> = {
  dns: (host) => `${host} has no address`,
  refused: (host) => `nothing listens at ${host}`,
  timeout: (host) => `${host} did not answer in time`,
  tls: (host) => `${host} has no certificate that can be trusted`,
  private_address: (host) => `${host} has a private address, which hooks do not reach`,
}

function notDelivered({ state, reason, sent }: Answer<'testHook'>['data']): string {
  const word = reason ?? state
  const said = sent === null ? undefined : unsent[word]?.(URL.parse(sent.url)?.host ?? sent.url)
  return said === undefined ? `the test was not delivered: ${word}` : `the test was not delivered: ${said} (${word})`
}

interface TestOptions {
  readonly eventFile?: string
  readonly force?: true
}

type Filter = NonNullable<Input<'dryRunHook'>['body']['filter']>
type EventFields = NonNullable<NonNullable<Input<'testHook'>['body']>['event']>
