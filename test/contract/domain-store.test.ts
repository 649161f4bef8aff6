import { describe } from 'vitest'
import { storeKinds } from '../support/stores.ts'
import { domainStoreContract } from './domain-store.contract.ts'

describe.each(storeKinds)('domains in $name', ({ open }) => domainStoreContract(open))
