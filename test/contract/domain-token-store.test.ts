import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { domainTokenStoreContract } from './domain-token-store.contract.ts'

describe.each(storeKinds)('tokens of domains in $name', ({ open }) => domainTokenStoreContract(open))
