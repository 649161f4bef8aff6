import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { accountStoreContract } from './account-store.contract.ts'

describe.each(storeKinds)('accounts in $name', ({ open }) => accountStoreContract(open))
