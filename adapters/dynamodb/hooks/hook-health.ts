import type { HookStore } from '../../../core/hooks/definition/hook-store.ts'
import type { AdapterContext } from '../../context.ts'
import { type Item, tableName, transactWrite, updateItem } from '../client.ts'
import { conditionally, transacted } from '../errors.ts'
import { hookItem, hookKey } from './hook-item.ts'
import { parseItem } from '../items.ts'

/** The observations of deliveries on a hook's record. The version stays, since the owner changed nothing. */
export function hookHealth(
  context: AdapterContext,
): Pick<HookStore, 'countFailure' | 'clearFailures' | 'noteLate' | 'endNotice' | 'renewNotice'> {
  const at = (domain: string, id: string) => ({ TableName: tableName(context, 'hooks'), Key: hookKey(domain, id) })
  return {
    async countFailure(domain, id, failed) {
      let counted: Item | undefined
      const result = await conditionally(async () => {
        counted = await updateItem(context, {
          ...at(domain, id),
          UpdateExpression:
            'SET failingSince = if_not_exists(failingSince, :at), lastFailure = :delivery ADD failures :one',
          ConditionExpression:
            'attribute_exists(pk) AND (attribute_not_exists(lastFailure) OR lastFailure <> :delivery)',
          ExpressionAttributeValues: { ':at': failed.at, ':delivery': failed.delivery, ':one': 1 },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        })
      })
      return parseItem(hookItem, result.done ? counted : result.stored)
    },
    async clearFailures(domain, id) {
      await conditionally(() =>
        updateItem(context, {
          ...at(domain, id),
          UpdateExpression: 'REMOVE failures, failingSince, lastFailure',
          ConditionExpression: 'attribute_exists(pk)',
        }),
      )
    },
    async noteLate({ domain, id }, lateAt) {
      await conditionally(() =>
        updateItem(context, {
          ...at(domain, id),
          UpdateExpression: 'SET lateAt = :at',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':at': lateAt },
        }),
      )
    },
    async renewNotice({ domain, id, version }, tries) {
      const renewed = await conditionally(() =>
        updateItem(context, {
          ...at(domain, id),
          UpdateExpression: 'SET noticeDue = :due, noticeTries = :tries',
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': version, ':due': true, ':tries': tries },
        }),
      )
      return renewed.done
    },
    async endNotice({ domain, id, version }) {
      // A transaction recognizes its own repetition: a notice whose answer was lost is still given.
      const Update = {
        ...at(domain, id),
        UpdateExpression: 'REMOVE noticeDue',
        ConditionExpression: 'version = :version AND noticeDue = :due',
        ExpressionAttributeValues: { ':version': version, ':due': true },
      }
      return (await transacted(() => transactWrite(context, [{ Update }]))) === undefined
    },
  }
}
