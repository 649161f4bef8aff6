/**
 * The writes of accounts. An account, the reservations of its numbers and the count of its domain change together, in
 * one transaction, or not at all.
 */
import type { Account } from '../../core/model.ts'
import type { AccountCreation } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { accountItem, accountKey, numberKey, ownerOf, toAccountItem } from './account-item.ts'
import { type Part, tableName, transactWrite } from './client.ts'
import { domainKey } from './domain-item.ts'
import { type FailedPart, transacted } from './errors.ts'
import { parseItem } from './items.ts'

/** See {@link AccountStore.create}. */
export async function createAccount(
  context: AdapterContext,
  account: Account,
  limit: number,
): Promise<AccountCreation> {
  const failed = await transact(context, [
    countIn(context, account.domain, limit),
    {
      Put: {
        TableName: tableName(context, 'accounts'),
        Item: toAccountItem(account),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    ...distinct(account.numbers).map((number) => reserve(context, account, number)),
  ])
  if (failed === undefined) return 'created'
  const [domain, login, ...numbers] = failed
  if (domain?.failed && domain.stored === undefined) return 'domain_missing'
  if (login?.failed) return 'login_taken'
  return numbers.some((number) => number.failed) ? 'number_taken' : 'domain_full'
}

/** See {@link AccountStore.update}. */
export async function updateAccount(
  context: AdapterContext,
  account: Account,
  previous: Account,
): Promise<'updated' | 'version_changed' | 'number_taken'> {
  const added = distinct(account.numbers).filter((number) => !previous.numbers.includes(number))
  const dropped = distinct(previous.numbers).filter((number) => !account.numbers.includes(number))
  const failed = await transact(context, [
    {
      Put: {
        TableName: tableName(context, 'accounts'),
        Item: toAccountItem(account),
        ConditionExpression: 'version = :previous',
        ExpressionAttributeValues: { ':previous': account.version - 1 },
      },
    },
    ...added.map((number) => reserve(context, account, number)),
    ...dropped.map((number) => release(context, account.domain, number)),
  ])
  if (failed === undefined) return 'updated'
  return failed[0]?.failed ? 'version_changed' : 'number_taken'
}

/** See {@link AccountStore.remove}. Follows an account that was changed meanwhile, so that no reservation is left. */
export async function removeAccount(context: AdapterContext, account: Account): Promise<boolean> {
  const current = { version: account.version, numbers: account.numbers, domainIsThere: true }
  for (;;) {
    const failed = await transact(context, [
      {
        Delete: {
          TableName: tableName(context, 'accounts'),
          Key: accountKey(account.domain, account.login),
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': current.version },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      ...distinct(current.numbers).map((number) => release(context, account.domain, number)),
      ...(current.domainIsThere ? [discount(context, account.domain)] : []),
    ])
    if (failed === undefined) return true
    const [removed] = failed
    if (removed?.failed) {
      const stored = parseItem(accountItem, removed.stored)
      if (stored === undefined) return false
      Object.assign(current, { version: stored.version, numbers: stored.numbers })
    } else {
      current.domainIsThere = false
    }
  }
}

function transact(context: AdapterContext, parts: readonly Part[]): Promise<FailedPart[] | undefined> {
  return transacted(() => transactWrite(context, parts))
}

function countIn(context: AdapterContext, domain: string, limit: number): Part {
  return {
    Update: {
      TableName: tableName(context, 'domains'),
      Key: domainKey(domain),
      UpdateExpression: 'SET accountCount = accountCount + :one',
      ConditionExpression: 'accountCount < :limit',
      ExpressionAttributeValues: { ':one': 1, ':limit': limit },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  }
}

function discount(context: AdapterContext, domain: string): Part {
  return {
    Update: {
      TableName: tableName(context, 'domains'),
      Key: domainKey(domain),
      UpdateExpression: 'SET accountCount = accountCount - :one',
      ConditionExpression: 'accountCount > :zero',
      ExpressionAttributeValues: { ':one': 1, ':zero': 0 },
    },
  }
}

function reserve(context: AdapterContext, account: Account, number: string): Part {
  return {
    Put: {
      TableName: tableName(context, 'accounts'),
      Item: { ...numberKey(account.domain, number), owner: ownerOf(account) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }
}

function release(context: AdapterContext, domain: string, number: string): Part {
  return { Delete: { TableName: tableName(context, 'accounts'), Key: numberKey(domain, number) } }
}

function distinct(numbers: readonly string[]): string[] {
  return [...new Set(numbers)]
}
