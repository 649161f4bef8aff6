import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { commandStoreContract } from './command-store.contract.ts'

describe.each(storeKinds)('commands in $name', ({ open }) => commandStoreContract(open))
