import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { idempotencyStoreContract } from './idempotency-store.contract.ts'

describe.each(storeKinds)('keys of requests in $name', ({ open }) => idempotencyStoreContract(open))
