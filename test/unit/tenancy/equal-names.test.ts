import { inMemory } from '../../support/platform/filled-platform.ts'
import { equalNames } from './equal-names.suite.ts'

// With every caller for every tenant over DynamoDB, in test/full.
equalNames(inMemory, false)
