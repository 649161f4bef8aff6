import type { Engine } from './engine.ts'
import { waitOn } from './flow.ts'
import type { Channel } from './channel.ts'

/** The longest message that is recorded, milliseconds. */
const longestMessageMs = 240_000

/**
 * `voicemail [check] <profile> <domain> <user>`: takes a message until the caller hangs up, or waits for its owner. As
 * at the real engine, a mailbox of nobody, or one that is switched off, ends at once and the call goes on. Messages are
 * counted, and their sound is not kept.
 */
export async function openMailbox(engine: Engine, channel: Channel, data: string): Promise<void> {
  const words = data.split(' ').filter((word) => word !== '')
  const isCheck = words[0] === 'check'
  const [domain = '', user = ''] = words.slice(isCheck ? 2 : 1)
  const owner = await engine.directory.find({ user, domain, action: 'user_call' })
  if (owner === undefined || !owner.hasMailbox) return
  await waitOn(engine, channel, longestMessageMs)
  if (isCheck) return
  const box = `${owner.login}@${owner.domain}`
  engine.mailboxes.set(box, (engine.mailboxes.get(box) ?? 0) + 1)
}

/** `vm_boxcount [<profile>/]<user>@<domain>`: the new messages of a mailbox. */
export function countMessages({ mailboxes }: Engine, argument: string): string {
  return String(mailboxes.get(boxOf(argument.slice(argument.indexOf('/') + 1))) ?? 0)
}

/** `vm_delete <user>@<domain>`: empties a mailbox. */
export function deleteMessages({ mailboxes }: Engine, argument: string): string {
  mailboxes.delete(boxOf(argument))
  return '+OK\n'
}

function boxOf(argument: string): string {
  return argument.split(/[|/ ]/)[0] ?? ''
}
