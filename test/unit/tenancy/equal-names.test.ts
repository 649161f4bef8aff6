import { inMemory } from '../../support/platform/filled-platform.ts'
import { equalNames } from './equal-names.suite.ts'

equalNames(inMemory)
