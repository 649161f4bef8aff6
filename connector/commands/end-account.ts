import type { AccountStore } from '../../core/accounts/account-store.ts'
import { readVoicemailMessage } from '../../core/voicemail/voicemail-message.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { mailboxLines, messageLine } from './command-line.ts'
import { type HangUpDeps, hangUpAccount } from './hang-up-domain.ts'

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
