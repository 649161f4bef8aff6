import { mapAtMost } from '../concurrency/semaphore.ts'
import { requireDone } from '../channels/engine-reply.ts'
import type { ErasedPage, OpenErasure, PageDeps } from './run-erasure.ts'

const pageMailboxes = 20
const sideBySide = 4

/** An engine lists and removes the messages of a mailbox within seconds. */
const orderMs = 20_000

/**
 * Removes, at every engine, the messages that the party left in the mailboxes of the domain, and all messages in its
 * own. Rejects while an engine is away: the run is repeated.
 */
export async function eraseVoicemail({ accounts, engine }: PageDeps, job: OpenErasure): Promise<ErasedPage> {
  const { domain, party, after = '' } = job
  const own = party.presenceId?.slice(0, party.presenceId.lastIndexOf('@'))
  // Whose mailbox is closed today may have had messages before.
  const owners = await accounts.list(domain)
  const logins = [...new Set([...owners.map(({ login }) => login), ...(own === undefined ? [] : [own])])]
  const page = logins
    .filter((login) => login > after)
    .sort(byText)
    .slice(0, pageMailboxes)
  const removed = await mapAtMost(page, sideBySide, async (login) => {
    const callers = login === own ? 'all' : party.names
    const order = { kind: 'erase-messages', login, callers } as const
    return Number(requireDone(await engine.run(order, { domain, presenceId: null }, orderMs)).text.split(' ')[1]) || 0
  })
  const last = page.at(-1)
  const voicemails = removed.reduce((sum, count) => sum + count, 0)
  return { counts: { voicemails }, after: page.length === pageMailboxes ? last : undefined }
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
