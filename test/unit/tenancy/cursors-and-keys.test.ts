import { inMemory } from '../../support/filled-platform.ts'
import { cursorsAndKeys } from './cursors-and-keys.suite.ts'

cursorsAndKeys(inMemory)
