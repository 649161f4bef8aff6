import { inMemory } from '../../support/filled-platform.ts'
import { equalNames } from './equal-names.suite.ts'

equalNames(inMemory)
