import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { domainVersionStoreContract } from './domain-version-store.contract.ts'

describe.each(storeKinds)('versions of domains in $name', ({ open }) => domainVersionStoreContract(open))
