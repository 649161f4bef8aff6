import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { liveCallStoreContract } from './live-call-store.contract.ts'

describe.each(storeKinds)('live calls in $name', ({ open }) => liveCallStoreContract(open))
