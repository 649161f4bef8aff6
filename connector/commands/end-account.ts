import type { AccountStore } from '../../core/accounts/account-store.ts'
import { readVoicemailMessage } from '../../core/voicemail/voicemail-message.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { ValueRefused, commandLine, mailboxLines, messageLine } from './command-line.ts'
import type { CommandOutcome, CommandScope } from '../../core/commands/commands.ts'
import type { ChannelList } from '../calls/channel-list.ts'

export interface EndAccountDeps extends Pick<HangUpDeps, 'channels'> {
  readonly accounts: Pick<AccountStore, 'read'>
}

/** An account that was deleted. */
export interface DeletedAccount {
  readonly domain: string
  readonly login: string
  /** Epoch milliseconds. */
  readonly deletedAt: number
}

/**
 * Ends the calls of a deleted account at one engine, then empties its mailbox there, even if other engines are away. If
 * an account has been made again under the login, maybe by another tenant of the domain's name, its calls and messages
 * stay: only messages that are older than it are removed. Rejects as the link and the store do.
 */
export async function endAccount(
  { channels, accounts }: EndAccountDeps,
  engine: { readonly name: string; readonly commands: Pick<EngineLink, 'api'> },
  { domain, login, deletedAt }: DeletedAccount,
): Promise<void> {
  const lines = mailboxLines(login, domain)
  const found = await accounts.read(domain, login)
  if (found === undefined || found.createdAt < deletedAt) {
    await hangUpAccount({ channels, engine }, { domain, login })
    await engine.commands.api(lines.empty)
    return
  }
  const listed = (await engine.commands.api(lines.list)).split('\n').map(readVoicemailMessage)
  const old = listed.filter((message) => message !== undefined && message.createdAt < found.createdAt)
  if (old.length === 0) return
  for (const message of old) {
    const line = message && messageLine(login, domain, message.uuid)
    if (line !== undefined) await engine.commands.api(line)
  }
  await engine.commands.api(lines.purge)
}

/** The cause that the contract names for calls that end with their domain. */
const cause = 'MANAGER_REQUEST'

export interface HangUpDeps {
  readonly channels: Pick<ChannelList, 'uuids'>
  readonly engines: readonly {
    readonly engine: { readonly name: string; readonly commands: Pick<EngineLink, 'api'> }
  }[]
}

/**
 * Hangs up every channel of a domain at every engine, by the engines' present lists and the one rule for the domain of
 * a leg. A channel that has ended meanwhile is no failure. A channel whose id cannot be part of a command line does not
 * stop the others and is reported by `-ERR`. While an engine is away, the calls at the others are ended and the command
 * counts as unsent; the domain's clean-up repeats it until no engine was away
 * (core/domains/cleanup/clean-up-domain.ts). A scope without a domain is refused, since it would cover every call of
 * the platform. Rejects as the links do.
 */
export async function hangUpDomain({ channels, engines }: HangUpDeps, scope: CommandScope): Promise<CommandOutcome> {
  const { domain } = scope
  if (domain === null) return { state: 'refused', text: '-ERR the calls of one domain only can be ended\n' }
  const { byEngine, missed } = await channels.uuids(scope)
  const ended = await Promise.all(
    engines.map(async ({ engine: { name, commands } }) => {
      const uuids = byEngine.get(name) ?? []
      const lines = uuids.flatMap((uuid) => lineFor(uuid, domain) ?? [])
      for (const line of lines) await commands.api(line)
      return { done: lines.length, left: uuids.length - lines.length }
    }),
  )
  if (missed.length > 0) return { state: 'unsent', reason: 'disconnected' }
  const left = ended.reduce((sum, engine) => sum + engine.left, 0)
  if (left > 0) return { state: 'refused', text: `-ERR ${left} left\n` }
  return { state: 'done', text: `+OK ${ended.reduce((sum, engine) => sum + engine.done, 0)}\n` }
}

/**
 * Hangs up an account's calls at one engine, even if other engines are away. Rejects as the link does.
 */
async function hangUpAccount(
  { channels, engine }: Pick<HangUpDeps, 'channels'> & HangUpDeps['engines'][number],
  { domain, login }: { readonly domain: string; readonly login: string },
): Promise<void> {
  const scope = { domain, presenceId: `${login}@${domain}` }
  const uuids = () => channels.uuids(scope, engine.name)
  await hangUpDomain({ channels: { uuids }, engines: [{ engine }] }, scope)
}

function lineFor(uuid: string, domain: string): string | undefined {
  try {
    return commandLine({ kind: 'hangup', uuid, cause }, domain)
  } catch (problem) {
    if (problem instanceof ValueRefused) return undefined
    throw problem
  }
}
