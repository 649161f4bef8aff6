/** Permissions and the walls between tenants in full, with the real adapters over a DynamoDB. */
import { describe } from 'vitest'
import { overDynamoDb } from '../support/platform/filled-platform.ts'
import { callersAndThings } from '../unit/tenancy/callers-and-things.suite.ts'
import { cursorsAndKeys } from '../unit/tenancy/cursors-and-keys.suite.ts'
import { equalNames } from '../unit/tenancy/equal-names.suite.ts'

describe('callers and things over DynamoDB', () => callersAndThings(overDynamoDb))

describe('tenants with equal names over DynamoDB', () => equalNames(overDynamoDb, true))

describe('cursors and keys of other tenants over DynamoDB', () => cursorsAndKeys(overDynamoDb))
