import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Columns } from '../output/table.ts'
import { saveDownload } from '../output/download.ts'
import { withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

/** Adds the commands about recordings. */
export function addRecordings(program: Command, terminal: Terminal): void {
  const recordings = program.command('recordings').description('Recordings of calls.')
  recordings
    .command('list <uuid>')
    .description('List the recordings of a call.')
    .addHelpText('after', examples('recordings list 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'))
    .action(
      withSession(terminal, async ({ client, out, query }, uuid: string) => {
        const answer = await client.call('readRecording', { params: { uuid }, query: { ...query, type: 'all' } })
        const rows = 'url' in answer ? [] : answer
        const columns: Columns<(typeof rows)[number]> = {
          name: { of: (row) => row.name, least: 16 },
          status: { of: (row) => row.status, look: 'state' },
          type: { of: (row) => row['content-type'], rank: 1 },
          bytes: (row) => row.size,
          time: { of: (row) => row.createdOn, look: 'time' },
        }
        out.list(rows, columns, 'the call has no recording')
      }),
    )
  recordings
    .command('download <uuid>')
    .description('Download a recording of a call. Your credential goes to the platform only, not to the object store.')
    .option('--name <name>', 'which recording, where the call has several (default: the oldest)')
    .option(
      '-o, --output <path>',
      'the file, which must not exist; "-" is standard output (default: the name of the call in this folder)',
    )
    .addHelpText('after', examples('recordings download 5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11 --output call.wav'))
    .action(
      withSession(terminal, async ({ client, out, query, signal }, uuid: string, options: DownloadOptions) => {
        const name = options.name === undefined ? {} : { name: options.name }
        const response = await client.recording(uuid, { query: { ...query, ...name }, signal })
        const file = options.output ?? `${basename(uuid)}${extensionOf(response.headers.get('content-type'))}`
        const bytes = await saveDownload(response, file, out)
        if (file !== '-') out.done({ file, bytes }, `wrote ${bytes} bytes to ${file}`)
      }),
    )
}

interface DownloadOptions {
  readonly name?: string
  readonly output?: string
}

const extensions: Readonly<Record<string, string>> = {
  'audio/wav': '.wav',
  'audio/mpeg': '.mp3',
  'video/mp4': '.mp4',
  'application/pdf': '.pdf',
}

function extensionOf(type: string | null): string {
  return extensions[type?.split(';')[0] ?? ''] ?? ''
}
