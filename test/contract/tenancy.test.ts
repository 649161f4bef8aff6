/**
 * A part of the tables of permissions and tenants, with the real adapters over a DynamoDB: what others have, and the
 * calls of one tenant. The whole of them runs in test/full.
 */
import { describe } from 'vitest'
import { overDynamoDb } from '../support/platform/filled-platform.ts'
import { callersAndThings } from '../unit/tenancy/callers-and-things.suite.ts'
import { cursorsAndKeys } from '../unit/tenancy/cursors-and-keys.suite.ts'
import { equalNames } from '../unit/tenancy/equal-names.suite.ts'

describe('callers and things over DynamoDB', () =>
  callersAndThings(overDynamoDb, { things: ['of another tenant'], domains: false }))

describe('tenants with equal names over DynamoDB', () =>
  equalNames(overDynamoDb, { names: ['a.example.com'], callers: ['admin', 'root'] }))

describe('cursors and keys of other tenants over DynamoDB', () => cursorsAndKeys(overDynamoDb))
