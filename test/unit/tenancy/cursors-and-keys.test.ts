import { inMemory } from '../../support/platform/filled-platform.ts'
import { cursorsAndKeys } from './cursors-and-keys.suite.ts'

cursorsAndKeys(inMemory)
