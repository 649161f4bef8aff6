import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { erasureStoreContract } from './erasure-store.contract.ts'

describe.each(storeKinds)('erasures in $name', ({ open }) => erasureStoreContract(open))
