import type { DomainVersion } from '../../../core/domains/domain-version.ts'
import type { DomainVersionStore } from '../../../core/domains/domain-version-store.ts'
import type { AdapterContext } from '../../context.ts'
import { type Part, getItem, queryAll, tableName, transactWrite } from '../client.ts'
import { textOf, transacted } from '../errors.ts'
import { nowSeconds, under, unexpired } from '../items.ts'
import {
  documentOf,
  documentPrefix,
  fromHeadItem,
  headPrefix,
  toVersionItems,
  versionKeys,
  versionPartition,
} from './domain-version-item.ts'

/** Versions of domains in DynamoDB: a head, and the compressed document in parts, all written at once. */
export function dynamoDomainVersionStore(context: AdapterContext): DomainVersionStore {
  return {
    async create(version, limit) {
      const writeId = context.random.uuid()
      const parts = creation(context, version, limit, writeId)
      const failed = await transacted(() => transactWrite(context, parts))
      return failed === undefined || textOf(failed[0]?.stored, 'writeId') === writeId
    },
    async list(domain) {
      const heads = await queryAll(context, {
        TableName: tableName(context, 'versions'),
        ConsistentRead: true,
        ScanIndexForward: false,
        ...under(versionPartition(domain), headPrefix),
      })
      return heads.flatMap((item) => fromHeadItem(unexpired(context, item)) ?? [])
    },
    async read(domain, number) {
      const TableName = tableName(context, 'versions')
      const [headKey] = versionKeys(domain, number)
      if (headKey === undefined) return undefined
      const head = fromHeadItem(unexpired(context, await getItem(context, TableName, headKey)))
      if (head === undefined) return undefined
      const found = under(versionPartition(domain), documentPrefix(number))
      return { ...head, document: documentOf(await queryAll(context, { TableName, ConsistentRead: true, ...found })) }
    },
  }
}

function creation(context: AdapterContext, version: DomainVersion, limit: number, writeId: string): Part[] {
  const TableName = tableName(context, 'versions')
  const { head, parts } = toVersionItems(version)
  const dropped = version.number > limit ? versionKeys(version.domain, version.number - limit) : []
  return [
    {
      Put: {
        TableName,
        Item: { ...head, writeId },
        ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        ExpressionAttributeValues: { ':now': nowSeconds(context) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    ...parts.map((Item): Part => ({ Put: { TableName, Item } })),
    ...dropped.map((Key): Part => ({ Delete: { TableName, Key } })),
  ]
}
