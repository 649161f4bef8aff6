import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { knownCallStoreContract } from './known-call-store.contract.ts'

describe.each(storeKinds)('known calls in $name', ({ open }) => knownCallStoreContract(open))
