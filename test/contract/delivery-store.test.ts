import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { deliveryStoreContract } from './delivery-store.contract.ts'

describe.each(storeKinds)('deliveries in $name', ({ open }) => deliveryStoreContract(open))
