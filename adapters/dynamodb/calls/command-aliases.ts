import * as z from 'zod/mini'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { getItem, putItem, tableName } from '../client.ts'
import { expirySeconds, parseItem, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

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
