/**
 * The form of an outcome in its record: inline while it is small, and otherwise compressed and split into part items
 * next to the record. An item has at most 400 KB, an engine's answer may have many MB.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import * as z from 'zod/mini'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import { DomainError } from '../../../core/errors.ts'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { getItem, putItem, tableName } from '../client.ts'
import { expirySeconds, parseItem, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Bytes of an outcome, as JSON, that still go into the record itself. */
const INLINE_BYTES = 300 * 1024

/** Bytes of one part: below the 400 KB of an item with room for its keys. */
const PART_BYTES = 350 * 1024

/** Bytes that an outcome may have when it is unpacked; an engine's longest answers are far below. */
const UNPACKED_BYTES = 128 * 1024 * 1024

/** The stored outcome of a command. */
export const commandOutcome = z.discriminatedUnion('state', [
  z.object({ state: z.literal('done'), text: z.string(), uuid: z.optional(z.string()) }),
  z.object({ state: z.literal('refused'), text: z.string() }),
  z.object({ state: z.literal('absent') }),
  z.object({ state: z.literal('unsent'), reason: z.enum(['expired', 'disconnected', 'busy', 'observed']) }),
  z.object({ state: z.literal('unknown'), reason: z.enum(['disconnected', 'timeout', 'unclear', 'connector_lost']) }),
])

/** Characters of the long lists that are remembered with their packed form; one of 5 000 channels has 5 500 000. */
const MAX_REMEMBERED = 24_000_000

/** The packed forms of the newest long lists, by their text: many who list the same calls are given the same one. */
const remembered = new Map<string, Promise<Uint8Array[]>>()

/**
 * Returns the parts of an outcome that is too large for its record; none for one that is not. A long list is packed
 * once.
 */
export async function packOutcome(outcome: CommandOutcome): Promise<readonly Uint8Array[] | undefined> {
  const isLongList = outcome.state === 'done' && outcome.uuid === undefined && outcome.text.length > INLINE_BYTES
  if (isLongList)
    return remembered.get(outcome.text) ?? remember(outcome.text, cutUp(Buffer.from(JSON.stringify(outcome))))
  const json = Buffer.from(JSON.stringify(outcome))
  return json.length <= INLINE_BYTES ? undefined : cutUp(json)
}

function remember(text: string, parts: Promise<Uint8Array[]>): Promise<Uint8Array[]> {
  let characters = text.length
  for (const each of remembered.keys()) characters += each.length
  for (const oldest of remembered.keys()) {
    if (characters <= MAX_REMEMBERED) break
    remembered.delete(oldest)
    characters -= oldest.length
  }
  remembered.set(text, parts)
  parts.catch(() => remembered.delete(text))
  return parts
}

async function cutUp(json: Buffer): Promise<Uint8Array[]> {
  const packed = await compress(json)
  return Array.from({ length: Math.ceil(packed.length / PART_BYTES) }, (_, index) =>
    packed.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
  )
}

/** Returns the outcome that was packed into these parts. */
export async function unpackOutcome(parts: readonly Uint8Array[]): Promise<CommandOutcome> {
  try {
    const json = await decompress(Buffer.concat(parts), { maxOutputLength: UNPACKED_BYTES })
    return commandOutcome.parse(JSON.parse(json.toString()))
  } catch (error) {
    throw new DomainError('internal_error', 'the parts of a stored outcome cannot be read', { cause: error })
  }
}

const aliasItem = z.object({ actual: z.string() })

/** The channels of chosen uuids, stored next to the commands that chose them; one partition each. */
export function commandAliases(context: AdapterContext): Pick<CommandStore, 'keepAlias' | 'readAlias'> {
  const table = () => tableName(context, 'commands')
  return {
    async keepAlias(chosen, actual) {
      const expiresAt = expirySeconds(keptUntil.alias(context.clock.now()))
      await putItem(context, { TableName: table(), Item: { ...aliasKey(chosen), actual, expiresAt } })
    },
    async readAlias(chosen) {
      return parseItem(aliasItem, unexpired(context, await getItem(context, table(), aliasKey(chosen))))?.actual
    },
  }
}

function aliasKey(chosen: string) {
  return { pk: joinKey('alias', chosen), sk: 'alias' }
}
