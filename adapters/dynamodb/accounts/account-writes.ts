/**
 * The writes of accounts. An account, the reservations of its numbers and the count of its domain change together, in
 * one transaction, or not at all.
 */
import type { AccountCreation } from '../../../core/accounts/account-store.ts'
import type { Account } from '../../../core/accounts/account.ts'
import { untilDone } from '../../../core/concurrency/retry.ts'
import type { AdapterContext } from '../../context.ts'
import { accountItem, accountKey, numberKey, ownerOf, toAccountItem } from './account-item.ts'
import { type Part, tableName, transactWrite, updateItem } from '../client.ts'
import { domainKey } from '../domains/domain-item.ts'
import { type FailedPart, conditionally, numberOf, textOf, transacted } from '../errors.ts'
import { parseItem } from '../items.ts'

/** An account that is created again has its versions start again; these values together identify one. */
const SAME_VERSION = 'version = :version AND createdAt = :createdAt'

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
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    ...distinct(account.numbers).map((number) => reserve(context, account, number)),
  ])
  if (failed === undefined) return 'created'
  const [domain, login, ...numbers] = failed
  if (login?.failed && textOf(login.stored, 'credentialsId') === account.credentialsId) return 'created'
  if (domain?.failed && !isLive(domain)) return 'domain_missing'
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
        ConditionExpression: SAME_VERSION,
        ExpressionAttributeValues: { ':version': account.version - 1, ':createdAt': account.createdAt },
      },
    },
    ...added.map((number) => reserve(context, account, number)),
    ...dropped.map((number) => release(context, account.domain, number)),
  ])
  if (failed === undefined) return 'updated'
  return failed[0]?.failed ? 'version_changed' : 'number_taken'
}

/** See {@link AccountStore.remove}. Follows an account that was changed meanwhile, so that no reservation is left. */
export async function removeAccount(context: AdapterContext, account: Account, exactly = false): Promise<boolean> {
  const { version, createdAt, numbers } = account
  const current = { version, createdAt, numbers, domainIsThere: true }
  return untilDone(async () => {
    const failed = await transact(context, [
      {
        Delete: {
          TableName: tableName(context, 'accounts'),
          Key: accountKey(account.domain, account.login),
          ConditionExpression: SAME_VERSION,
          ExpressionAttributeValues: { ':version': current.version, ':createdAt': current.createdAt },
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
      if (exactly || stored === undefined) return false
      Object.assign(current, { version: stored.version, createdAt: stored.createdAt, numbers: stored.numbers })
    } else {
      current.domainIsThere = false
    }
    return undefined
  })
}

/** See {@link AccountStore.useCode}. A write whose answer was lost finds its own mark and counts as done. */
export async function useCode(context: AdapterContext, account: Account, step: number): Promise<boolean> {
  const writeId = context.random.uuid()
  const result = await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'accounts'),
      Key: accountKey(account.domain, account.login),
      UpdateExpression: 'SET secondFactor.usedStep = :step, version = version + :one, codeUseId = :writeId',
      ConditionExpression:
        'secondFactor.usedStep < :step AND secondFactor.sealed = :sealed AND credentialsId = :credentialsId',
      ExpressionAttributeValues: {
        ':step': step,
        ':one': 1,
        ':writeId': writeId,
        ':sealed': account.secondFactor?.sealed ?? '',
        ':credentialsId': account.credentialsId,
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done || textOf(result.stored, 'codeUseId') === writeId
}

function isLive({ stored }: FailedPart): boolean {
  return stored !== undefined && numberOf(stored, 'deletedAt') === undefined
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
      ConditionExpression: 'accountCount < :limit AND attribute_not_exists(deletedAt)',
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
