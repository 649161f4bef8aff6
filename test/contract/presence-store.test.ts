import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { presenceStoreContract } from './presence-store.contract.ts'

describe.each(storeKinds)('presence in $name', ({ open }) => presenceStoreContract(open))
