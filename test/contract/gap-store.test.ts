import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { gapStoreContract } from './gap-store.contract.ts'

describe.each(storeKinds)('gaps in $name', ({ open }) => gapStoreContract(open))
