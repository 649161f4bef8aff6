import type { HookStore } from '../../../core/hooks/definition/hook-store.ts'
import type { AdapterContext } from '../../context.ts'
import type { Item } from '../client.ts'
import { tableName, transactWrite, updateItem } from '../client.ts'
import { conditionally, transacted } from '../errors.ts'
import { hookItem, hookKey } from './hook-item.ts'
import { parseItem } from '../items.ts'

interface Note {
  readonly UpdateExpression: string
  readonly ConditionExpression: string
  readonly ExpressionAttributeValues: Item
}

/** The observations of deliveries on a hook's record. The version stays, since the owner changed nothing. */
export function hookHealth(
  context: AdapterContext,
): Pick<HookStore, 'countFailure' | 'clearFailures' | 'noteSpeed' | 'notePrompt' | 'endNotice' | 'renewNotice'> {
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
    async noteSpeed({ domain, id, slowAt: known }, slowAt) {
      await conditionally(() => updateItem(context, { ...at(domain, id), ...speedNote(known, slowAt) }))
    },
    async notePrompt({ domain, id, lateAt }, isPrompt, noted) {
      const note = isPrompt ? promptNote(lateAt, noted) : lateNote(noted)
      await conditionally(() => updateItem(context, { ...at(domain, id), ...note }))
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

function speedNote(known: number | undefined, slowAt: number | undefined): Note {
  if (slowAt !== undefined) {
    return {
      UpdateExpression: 'SET slowAt = :slowAt',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':slowAt': slowAt },
    }
  }
  return {
    UpdateExpression: 'REMOVE slowAt',
    ConditionExpression: 'slowAt = :known',
    ExpressionAttributeValues: { ':known': known ?? 0 },
  }
}

function promptNote(lateAt: number | undefined, noted: number): Note {
  const isAsRead = lateAt === undefined ? 'attribute_not_exists(lateAt)' : 'lateAt = :known'
  return {
    UpdateExpression: 'SET promptAt = :at REMOVE lateAt',
    ConditionExpression: `attribute_exists(pk) AND ${isAsRead}`,
    ExpressionAttributeValues: { ':at': noted, ...(lateAt === undefined ? {} : { ':known': lateAt }) },
  }
}

function lateNote(noted: number): Note {
  return {
    UpdateExpression: 'SET lateAt = :at REMOVE promptAt',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':at': noted },
  }
}
