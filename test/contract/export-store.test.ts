import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { exportStoreContract } from './export-store.contract.ts'

describe.each(storeKinds)('exports in $name', ({ open }) => exportStoreContract(open))
