import * as z from 'zod/mini'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import type { PendingUnregistration } from '../../../core/commands/commands.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { putBatch } from '../batches.ts'
import { conditionally } from '../errors.ts'
import { deleteItem, queryAll, tableName } from '../client.ts'
import { expirySeconds, parseItem, under, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

const dropItem = z.object({
  engine: z.string(),
  domain: z.string(),
  login: z.string(),
  deletedAt: z.number(),
  command: z.string(),
})

/** Drops of registrations that engines owe, stored next to the commands; one partition for each engine. */
export function pendingUnregistrationStore(
  context: AdapterContext,
): Pick<CommandStore, 'addUnregistrations' | 'listUnregistrations' | 'endUnregistration'> {
  const table = () => tableName(context, 'commands')
  return {
    async addUnregistrations(drops) {
      const expiresAt = expirySeconds(keptUntil.pendingUnregistration(context.clock.now()))
      const items = drops.map((drop) => ({ ...dropKey(drop), ...drop, expiresAt }))
      await putBatch(context, table(), items)
    },
    async listUnregistrations(engine) {
      const { pk } = partition(engine)
      const items = await queryAll(context, { TableName: table(), ConsistentRead: true, ...under(pk) })
      return items.flatMap((item) => parseItem(dropItem, unexpired(context, item)) ?? [])
    },
    async endUnregistration(drop) {
      await conditionally(() =>
        deleteItem(context, {
          TableName: table(),
          Key: dropKey(drop),
          ConditionExpression: '#command = :command',
          ExpressionAttributeNames: { '#command': 'command' },
          ExpressionAttributeValues: { ':command': drop.command },
        }),
      )
    },
  }
}

function partition(engine: string) {
  return { pk: joinKey('owed-drops', engine) }
}

function dropKey({ engine, domain, login }: Pick<PendingUnregistration, 'engine' | 'domain' | 'login'>) {
  return { ...partition(engine), sk: joinKey(domain, login) }
}
