import { describe } from 'vitest'
import { memoryCdrStore } from '../support/memory/memory-cdr-store.ts'
import { memoryState } from '../support/memory/memory-state.ts'
import { cdrStoreContract } from './cdr-store.contract.ts'

describe('CDRs in memory', () => {
  cdrStoreContract(async () => ({
    store: memoryCdrStore({ state: memoryState() }),
    settle: async () => {},
    close: async () => {},
  }))
})
