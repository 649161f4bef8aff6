import type { RoleStore } from '../../../core/access/role-store.ts'
import type { AdapterContext } from '../../context.ts'
import { getItem, putItem, tableName } from '../client.ts'
import { conditionally, textOf } from '../errors.ts'
import { fromRolesItem, rolesKey, toRolesItem } from './role-item.ts'

/** Roles of tenants in DynamoDB. */
export function dynamoRoleStore(context: AdapterContext): RoleStore {
  return {
    async read(domain) {
      return fromRolesItem(domain, await getItem(context, tableName(context, 'roles'), rolesKey(domain)))
    },
    async write(roles) {
      // A write whose answer was lost and that is tried again finds its own mark and still counts as done.
      const writeId = context.random.uuid()
      const result = await conditionally(() =>
        putItem(context, {
          TableName: tableName(context, 'roles'),
          Item: { ...toRolesItem(roles), writeId },
          ConditionExpression: roles.version === 1 ? 'attribute_not_exists(pk)' : 'version = :previous',
          ...(roles.version === 1 ? {} : { ExpressionAttributeValues: { ':previous': roles.version - 1 } }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      )
      return result.done || textOf(result.stored, 'writeId') === writeId
    },
  }
}
