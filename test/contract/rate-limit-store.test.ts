import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { rateLimitStoreContract } from './rate-limit-store.contract.ts'

describe.each(storeKinds)('allowances in $name', ({ open }) => rateLimitStoreContract(open))
