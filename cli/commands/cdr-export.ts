import { setTimeout as pause } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { Answer } from '../../client/index.ts'
import { CliError } from '../failure/exit.ts'
import { saveDownload } from '../output/download.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type SearchOptions, searchBody, searchOptions } from './cdr-search.ts'
import { examples } from './examples.ts'

interface ExportOptions extends SearchOptions {
  readonly output: string
  readonly format: 'csv' | 'jsonl'
  readonly columns?: string
}

const lookAgainMs = 1000

/** Adds the export of call records into a file. */
export function addExport(cdr: Command, terminal: Terminal): void {
  searchOptions(cdr.command('export [query]'))
    .description('Write all call records that a search finds into a file, up to a million.')
    .requiredOption('-o, --output <path>', 'the file, which must not exist; "-" is standard output')
    .addOption(new Option('--format <format>', 'the form of the file').choices(['csv', 'jsonl']).default('csv'))
    .option('--columns <names>', 'the fields, separated by commas')
    .addHelpText(
      'after',
      examples('cdr export --from 30d --output calls.csv', 'cdr export "billsec:>0" --format jsonl -o calls.jsonl'),
    )
    .action(
      withSession(terminal, async (session, text: string | undefined, options: ExportOptions) => {
        const { client, query, out, signal } = session
        const columns = options.columns === undefined ? {} : { columns: options.columns.split(',') }
        const body = { ...searchBody(text, options), ...columns, format: options.format }
        const { data: job } = await client.call('beginExport', { query: { ...query, leg: options.leg }, body })
        const { url = '', rows } = await whenDone(session, job.jobId)
        // The link leads to the object store, another host: it must not get the credential.
        const response = await fetch(url, { credentials: 'omit', redirect: 'error', signal })
        const bytes = await saveDownload(response, options.output, out)
        if (options.output !== '-')
          out.done({ file: options.output, rows, bytes }, `wrote ${rows} records to ${options.output}`)
      }),
    )
}

async function whenDone(
  { client, query, out, signal }: Session,
  job_id: string,
): Promise<Answer<'readExport'>['data']> {
  for (;;) {
    const { data } = await client.call('readExport', { params: { job_id }, query, signal })
    if (data.state === 'done') return data
    if (data.state === 'failed')
      throw new CliError(`the export failed: ${data.reason ?? 'no reason given'}; begin it again`)
    out.progress(`the export is ${data.state}: ${data.rows} records`)
    await pause(lookAgainMs, undefined, { signal })
  }
}
