import { type Command, Option } from 'commander'
import type { Answer } from '../../client/index.ts'
import { confirm } from '../input/confirm.ts'
import { wholeNumber } from '../input/values.ts'
import type { Cell, Column, Columns, Look } from '../output/table.ts'
import type { Shown } from '../output/output.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addExport } from './cdr-export.ts'
import { type SearchOptions, searchBody, searchOptions } from './cdr-search.ts'
import { examples } from './examples.ts'

type Hit = Answer<'searchCdrs'>['hits']['hits'][number]

const shown = ['created_time', 'direction', 'caller_id_number', 'destination_number', 'duration', 'hangup_cause']

interface ListOptions extends SearchOptions {
  readonly limit: number
  readonly columns?: string
}

/** Adds the commands about call detail records. */
export function addCdr(program: Command, terminal: Terminal): void {
  const cdr = program.command('cdr').description('Call detail records, one for each side of an ended call.')
  searchOptions(cdr.command('search [query]'))
    .description('Search call records, the newest first. A call is found within a minute after its end.')
    .option('--limit <count>', 'how many', wholeNumber(1, 100_000), 40)
    .option('--columns <names>', 'the fields, separated by commas')
    .addHelpText(
      'after',
      examples(
        'cdr search',
        'cdr search "caller_id_number:1001 AND duration:>60" --from 2d',
        'cdr search --leg "*" --columns uuid,leg,billsec',
      ),
    )
    .action(
      withSession(terminal, async ({ client, out, query }, text: string | undefined, options: ListOptions) => {
        const { limit, leg } = options
        const columns = options.columns?.split(',') ?? shown
        const found = client.cdrs({
          query: { ...query, leg },
          body: {
            ...searchBody(text, options),
            columns: out.isJson && options.columns === undefined ? undefined : columns,
            limit: Math.min(limit, 1000),
          },
        })
        const hits: Hit[] = []
        for await (const hit of found) {
          hits.push(hit)
          if (hits.length >= limit) break
        }
        out.list(
          hits,
          {
            call: { of: (hit) => hit._id, look: 'id' },
            ...columnsOf(columns, (hit, name) => only(hit.fields?.[name])),
          },
          'no call record; without --from the last 31 days are searched',
        )
      }),
    )
  cdr
    .command('get <uuid>')
    .description('Show one call record.')
    .addOption(new Option('--legs', 'show the other sides of the call instead'))
    .addHelpText('after', examples('cdr get 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'))
    .action(
      withSession(terminal, async ({ client, out, query }, uuid: string, { legs }: { legs?: true }) => {
        if (legs === true) {
          const { data } = await client.call('listOtherLegs', { params: { uuid }, query })
          const columns = columnsOf<(typeof data)[number]>(['uuid', ...shown], (row, name) => cellOf(row[name]))
          return out.list(data, columns, 'the call has no other side')
        }
        const { data } = await client.call('readCdr', { params: { uuid }, query })
        const shownOf = (name: string, value: unknown): Cell | Shown =>
          looks[name] === 'time' && typeof value === 'number'
            ? { time: value }
            : looks[name] === 'state'
              ? { state: cellOf(value) }
              : cellOf(value)
        out.record(data, Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shownOf(name, value)])))
      }),
    )
  cdr
    .command('delete <uuid>')
    .description('Delete the records of a call, of all its sides. Its recordings stay.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('cdr delete 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11 --yes'))
    .action(
      withSession(terminal, async ({ client, out, query }, uuid: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the records of the call ${uuid}`, uuid, yes)
        const answer = await client.call('deleteCdr', { params: { uuid }, query })
        out.done(answer, answer.info)
      }),
    )
  addExport(cdr, terminal)
}

const looks: Readonly<Record<string, Look>> = { uuid: 'id', created_time: 'time', hangup_cause: 'state' }
const titles: Readonly<Record<string, string>> = {
  created_time: 'time',
  caller_id_number: 'from',
  destination_number: 'to',
  hangup_cause: 'ended with',
}

/** Returns columns by the names of fields; what was asked for last is dropped first, the first three never. */
function columnsOf<T>(names: readonly string[], valueOf: (row: T, name: string) => Cell): Columns<T> {
  return Object.fromEntries(
    names.map((name, index): [string, Column<T>] => [
      titles[name] ?? name.replaceAll('_', ' '),
      {
        of: (row) => valueOf(row, name),
        look: looks[name] ?? 'text',
        rank: name === 'direction' ? names.length : name === 'hangup_cause' ? 1 : Math.max(0, index - 3),
        ...(name === 'duration' || name === 'created_time' ? {} : { least: name === 'hangup_cause' ? 16 : 10 }),
      },
    ]),
  )
}

/** A field of a search has a list of values, mostly of one. */
function only(values: readonly Cell[] | undefined): Cell {
  return values !== undefined && values.length > 1 ? values.join(', ') : values?.[0]
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}
