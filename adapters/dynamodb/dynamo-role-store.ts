import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { RoleStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { conditionally, guarded, textOf } from './errors.ts'
import { fromRolesItem, rolesKey, toRolesItem } from './role-item.ts'

/** Roles of tenants in DynamoDB. */
export function dynamoRoleStore(context: AdapterContext): RoleStore {
  const client = documentClient(context)
  return {
    async read(domain) {
      const TableName = tableName(context, 'roles')
      const Key = rolesKey(domain)
      const found = await guarded(() => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })))
      return fromRolesItem(domain, found.Item)
    },
    async write(roles) {
      // A write whose answer was lost and that is tried again finds its own mark and still counts as done.
      const writeId = context.random.uuid()
      const result = await conditionally(() =>
        client.send(
          new PutCommand({
            TableName: tableName(context, 'roles'),
            Item: { ...toRolesItem(roles), writeId },
            ConditionExpression: roles.version === 1 ? 'attribute_not_exists(pk)' : 'version = :previous',
            ...(roles.version === 1 ? {} : { ExpressionAttributeValues: { ':previous': roles.version - 1 } }),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      )
      return result.done || textOf(result.stored, 'writeId') === writeId
    },
  }
}
