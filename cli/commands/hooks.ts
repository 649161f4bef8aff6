import type { Command } from 'commander'
import type { Answer, Input } from '../../client/index.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import { confirm } from '../input/confirm.ts'
import { collect, readObject } from '../input/values.ts'
import type { Cell, Columns } from '../output/table.ts'
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
  readonly file?: string
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
    .option('--file <path>', 'its other fields, a JSON object: filter, map, headers, auth, retries, rawBody')
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
          ...(options.file === undefined ? {} : readObject(options.file)),
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
  addChange(hooks, terminal)
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

/** Adds the commands that show one hook and change it. */
function addChange(hooks: Command, terminal: Terminal): void {
  hooks
    .command('get <hook>')
    .description('Show a hook.')
    .addHelpText('after', examples('hooks get 0123456789abcdef01234567', 'hooks get 0123456789abcdef01234567 --json'))
    .action(
      withSession(terminal, async ({ client, out, query }, hook_id: string) => {
        const { data } = await client.call('readHook', { params: { hook_id }, query })
        const { _id, action, enable, auth, ...fields } = data
        const shown = Object.entries(fields).map(([name, value]): [string, Cell] => [name, fieldText(value)])
        const head = {
          hook: _id,
          state: { state: enable ? 'enabled' : 'disabled' },
          request: `${action.method} ${action.url}`,
        }
        out.record(data, { ...head, ...Object.fromEntries(shown), auth: auth.enabled ? auth.url : '' })
      }),
    )
  hooks
    .command('update <hook> [file]')
    .description('Enable or disable a hook, or change the fields that a JSON file has ("-" is standard input).')
    .option('--enable', 'send from now on')
    .option('--disable', 'send nothing until it is enabled again')
    .addHelpText(
      'after',
      examples('hooks update 0123456789abcdef01234567 --enable', 'hooks update 0123456789abcdef01234567 filter.json'),
    )
    .action(
      withSession(terminal, async ({ client, out, query }, hook_id: string, file: string | undefined, on: Switch) => {
        const enable = on.enable === true ? { enable: true } : on.disable === true ? { enable: false } : {}
        const fields = { ...(file === undefined ? {} : readObject(file)), ...enable }
        if (Object.keys(fields).length === 0)
          throw new CliError(
            'name a file, --enable or --disable, so that there is something to change',
            exitCodes.usage,
          )
        const body = fields as NonNullable<Input<'updateHook'>['body']>
        out.done(await client.call('updateHook', { params: { hook_id }, query, body }), `updated ${hook_id}`)
      }),
    )
}

interface Switch {
  readonly enable?: true
  readonly disable?: true
}

/** Texts and numbers as they are, other values as JSON; nothing for empty ones. */
function fieldText(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  const text = JSON.stringify(value ?? '')
  return ['[]', '{}', '""'].includes(text) ? '' : text
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
        const columns: Columns<Hook> = {
          hook: (row) => row._id,
          event: { of: (row) => row.event, least: 14 },
          enabled: {
            of: (row) => (row.enable === true ? 'yes' : (row.disabledReason ?? 'no')),
            look: 'state',
            rank: 1,
          },
          method: { of: (row) => row.action?.method, rank: 2 },
          url: { of: (row) => row.action?.url, least: 16 },
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
