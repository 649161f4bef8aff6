/** Permissions and the walls between tenants in full, with the real adapters over a DynamoDB. */
import { describe } from 'vitest'
import { overDynamoDb } from '../support/filled-platform.ts'
import { callersAndThings } from '../unit/tenancy/callers-and-things.suite.ts'
import { equalNames } from '../unit/tenancy/equal-names.suite.ts'

describe('callers and things over DynamoDB', () => callersAndThings(overDynamoDb))

describe('tenants with equal names over DynamoDB', () => equalNames(overDynamoDb))
