import type { CommandOutcome, EngineCommand } from '../../core/commands/commands.ts'
import { readVoicemailMessage } from '../../core/voicemail/voicemail-message.ts'
import { type EngineLink, isReady } from '../runtime/engine.ts'
import { mailboxLines, messageLine } from './command-line.ts'

type EraseMessages = Extract<EngineCommand, { readonly kind: 'erase-messages' }>

interface MailboxEngine {
  readonly engine: { readonly commands: Pick<EngineLink, 'api' | 'state'> }
}

/**
 * Removes the messages of an account's mailbox that these callers have left, or all, at every engine. The text of the
 * outcome is `+OK` and the number of those that are gone. While an engine is away, those at the others are removed, and
 * the command counts as unsent. Throws `ValueRefused`. Rejects as the links do.
 */
export function prepareErasure(
  { login, callers }: EraseMessages,
  domain: string | null,
): (engines: readonly MailboxEngine[]) => Promise<CommandOutcome> {
  const lines = mailboxLines(login, domain)
  const wanted = callers === 'all' ? undefined : new Set(callers.map((caller) => caller.toLowerCase()))
  const eraseAt = async ({ engine: { commands } }: MailboxEngine) => {
    if (!isReady(commands)) return undefined
    const messages = (await commands.api(lines.list)).split('\n').map(readVoicemailMessage)
    const deletions = messages.flatMap((message) => {
      if (message === undefined) return []
      if (wanted?.has(message.callerNumber.toLowerCase()) === false) return []
      return messageLine(login, domain, message.uuid) ?? []
    })
    let deleted = 0
    for (const line of deletions) if (isDone(await commands.api(line))) deleted += 1
    if (deletions.length === 0 || !isDone(await commands.api(lines.purge))) return 0
    return deleted
  }
  return async (engines) => {
    const removed = await Promise.all(engines.map(eraseAt))
    if (removed.includes(undefined)) return { state: 'unsent', reason: 'disconnected' }
    return { state: 'done', text: `+OK ${removed.reduce((sum: number, count) => sum + (count ?? 0), 0)}\n` }
  }
}

/** The engine answers `-OK` when it has done it. */
function isDone(reply: string): boolean {
  return !reply.startsWith('-ERR')
}
