import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { hookStoreContract } from './hook-store.contract.ts'

describe.each(storeKinds)('hooks and subscriptions in $name', ({ open }) => hookStoreContract(open))
