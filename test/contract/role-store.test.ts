import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { roleStoreContract } from './role-store.contract.ts'

describe.each(storeKinds)('roles in $name', ({ open }) => roleStoreContract(open))
