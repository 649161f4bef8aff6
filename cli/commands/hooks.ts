import type { Command } from 'commander'
import type { Answer } from '../../client/index.ts'
import { confirm } from '../input/confirm.ts'
import { collect } from '../input/values.ts'
import { requireNewFile } from '../output/result-file.ts'
import { writePrivateFile } from '../profile/private-file.ts'
import { type Session, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'
import { addDeliveries } from './hook-deliveries.ts'
import { addHookLab } from './hook-lab.ts'
import { allRows } from './rows.ts'

interface SecretOptions {
  readonly showSecret?: true
  readonly secretFile?: string
}

interface CreateOptions extends SecretOptions {
  readonly event: string
  readonly url: string
  readonly method: string
  readonly description?: string
  readonly field?: readonly string[]
  readonly disabled?: true
}

/** Adds the commands about hooks. */
export function addHooks(program: Command, terminal: Terminal): void {
  const hooks = program.command('hooks').description('Hooks, which send the events of a domain to a URL.')
  addListing(hooks, terminal)
  hooks
    .command('create')
    .description('Make a hook. The secret of its signatures is not shown, unless you ask for it.')
    .requiredOption('--event <name>', 'the event, such as CHANNEL_ANSWER')
    .requiredOption('--url <address>', 'where its events are sent')
    .option('--method <method>', 'the method of the request', 'POST')
    .option('--description <text>', 'a note about it')
    .option('--field <name>', 'a field of the event to send; may be given several times (default: all)', collect)
    .option('--disabled', 'make it, but send nothing yet')
    .option('--show-secret', 'print the secret')
    .option('--secret-file <path>', 'write the secret to a new file that only you can read')
    .addHelpText(
      'after',
      examples('hooks create --event CHANNEL_ANSWER --url https://crm.example.com/calls --secret-file hook.secret'),
    )
    .action(
      withSession(terminal, async (session, options: CreateOptions) => {
        const { event, url, method, description, field: fields, disabled } = options
        const body = {
          event,
          action: { type: 'web' as const, method, url },
          ...(description === undefined ? {} : { description }),
          ...(fields === undefined ? {} : { fields }),
          ...(disabled === true ? { enable: false } : {}),
        }
        if (options.secretFile !== undefined) requireNewFile(options.secretFile)
        const { data } = await session.client.call('createHooks', { query: session.query, body })
        const id = data.insertedIds[0] ?? ''
        handOver(
          session,
          { id, secret: data.secrets[id] ?? '', shown: { ...data.ops[0] }, done: `created ${id}` },
          options,
        )
      }),
    )
  hooks
    .command('rotate <hook>')
    .description('Give a hook a new secret. The old one signs as well for 24 hours.')
    .option('--show-secret', 'print the secret')
    .option('--secret-file <path>', 'write the secret to a file that only you can read')
    .addHelpText('after', examples('hooks rotate 0123456789abcdef01234567 --secret-file hook.secret'))
    .action(
      withSession(terminal, async (session, hook_id: string, options: SecretOptions) => {
        const { client, query } = session
        const { data } = await client.call('rotateHookSecret', { params: { hook_id }, query })
        const shown = { _id: data._id, previousUntil: data.previousUntil }
        const secret = data.secrets[hook_id] ?? ''
        handOver(session, { id: hook_id, secret, shown, done: `${hook_id} has a new secret` }, options)
      }),
    )
  hooks
    .command('delete <hook>')
    .description('Delete a hook. It sends nothing any more, waiting deliveries included.')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('hooks delete 0123456789abcdef01234567 --yes'))
    .action(
      withSession(terminal, async ({ client, out, query }, hook_id: string, { yes }: { yes?: true }) => {
        await confirm(terminal, `deleting the hook ${hook_id}`, hook_id, yes)
        out.done(await client.call('deleteHook', { params: { hook_id }, query }), `deleted ${hook_id}`)
      }),
    )
  addHookLab(hooks, terminal)
  addDeliveries(hooks, terminal)
}

type Hook = Answer<'listHooks'>['data'][number]

function addListing(hooks: Command, terminal: Terminal): void {
  hooks
    .command('list')
    .description('List the hooks of the domain.')
    .addHelpText('after', examples('hooks list'))
    .action(
      withSession(terminal, async ({ client, out, query }) => {
        const rows = await allRows(client.pages('listHooks', { query }), ({ data }) => data)
        const columns = {
          hook: (row: Hook) => row._id,
          event: (row: Hook) => row.event,
          enabled: (row: Hook) => (row.enable === true ? 'yes' : (row.disabledReason ?? 'no')),
          method: (row: Hook) => row.action?.method,
          url: (row: Hook) => row.action?.url,
        }
        out.list(rows, columns, 'no hook; make one with: callplane hooks create')
      }),
    )
}

interface NewSecret {
  readonly id: string
  readonly secret: string
  readonly shown: object
  readonly done: string
}

function handOver({ out }: Session, { id, secret, shown, done }: NewSecret, options: SecretOptions): void {
  const { showSecret, secretFile } = options
  out.done(showSecret === true ? { ...shown, secret } : shown, done)
  if (secretFile !== undefined) {
    writePrivateFile(secretFile, `${secret}\n`)
    out.note(`the secret of its signatures is in ${secretFile}`)
  }
  if (showSecret === true && !out.isJson) out.line(secret)
  if (secretFile !== undefined || showSecret === true) return
  out.note(`the secret of its signatures was not shown; for a new one: callplane hooks rotate ${id} --show-secret`)
}
