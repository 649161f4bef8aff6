import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { sessionStoreContract } from './session-store.contract.ts'

describe.each(storeKinds)('sessions in $name', ({ open }) => sessionStoreContract(open))
