import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { domainStoreContract } from './domain-store.contract.ts'

describe.each(storeKinds)('domains in $name', ({ open }) => domainStoreContract(open))
