import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { tokenStoreContract } from './token-store.contract.ts'

describe.each(storeKinds)('tokens and credentials in $name', ({ open }) => tokenStoreContract(open))
