import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { blacklistStoreContract } from './blacklist-store.contract.ts'

describe.each(storeKinds)('blacklists in $name', ({ open }) => blacklistStoreContract(open))
