import * as z from 'zod/mini'
import { channelId } from '../../contracts/fields.ts'
import type { EngineLink } from '../runtime/engine.ts'
import type { ReadField } from '../../core/channels/leg.ts'

/** A row of `show channels`, or the dump of one channel: whatever is not text is left out. */
export type ChannelFields = Readonly<Record<string, unknown>>

const fields = z.record(z.string(), z.unknown())

/** Without channels the engine leaves `rows` out. Rows are looked at one by one, since there are thousands of them. */
const list = z.object({ row_count: z.int(), rows: z.optional(z.array(z.unknown())) })

/** The engine's answer is not of the expected form. The message contains nothing of the answer. */
export class UnreadableReply extends Error {
  override readonly name = 'UnreadableReply'
}

/** Reads the text fields of a row; a field that is absent, empty or no text reads as absent. */
export function reader(row: ChannelFields): ReadField {
  return (name) => {
    const value = Object.hasOwn(row, name) ? row[name] : undefined
    return typeof value === 'string' && value !== '' ? value : undefined
  }
}

/**
 * Reads every channel that the engine has now. Rejects as the link does. Also rejects with {@link UnreadableReply} if
 * there are fewer rows than the engine states, since a missing channel would be presumed gone.
 */
export async function readChannels(link: Pick<EngineLink, 'api'>): Promise<ChannelFields[]> {
  const answer = list.safeParse(parsed(await link.api('show channels as json')))
  const rows = answer.data?.rows ?? []
  if (answer.data?.row_count !== rows.length || !rows.every(isRow)) {
    throw new UnreadableReply('the list of channels cannot be read')
  }
  return rows
}

function isRow(row: unknown): row is ChannelFields {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
}

/** The engine's words for a channel that is not there, also followed by its uuid; other refusals say nothing of it. */
export const noSuchChannel = /^-ERR No such channel/i

/**
 * Reads one channel with all its variables; `undefined` if the engine does not have it. Rejects as the link does, and
 * with {@link UnreadableReply}. `id` is as the engine spells it; a text that no command can hold is `undefined`
 * without asking.
 */
export async function dumpChannel(link: Pick<EngineLink, 'api'>, id: string): Promise<ChannelFields | undefined> {
  if (!channelId.safeParse(id).success) return undefined
  const text = await link.api(`uuid_dump ${id} json`)
  if (noSuchChannel.test(text)) return undefined
  const answer = fields.safeParse(parsed(text))
  if (!answer.success) throw new UnreadableReply('the dump of a channel cannot be read')
  return answer.data
}

/**
 * Asks the engine whether it has a channel; `undefined` if its answer is neither `true` nor `false`. Rejects as the
 * link does. `id` is as the engine spells it; a text that no command can hold is `false` without asking.
 */
export async function hasChannel(link: Pick<EngineLink, 'api'>, id: string): Promise<boolean | undefined> {
  if (!channelId.safeParse(id).success) return false
  const word = (await link.api(`uuid_exists ${id}`)).trim()
  return word === 'true' || word === 'false' ? word === 'true' : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnreadableReply('the answer is not JSON', { cause })
  }
}
