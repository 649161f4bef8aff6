import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { gatewayStateStoreContract } from './gateway-state-store.contract.ts'

describe.each(storeKinds)('states of gateways in $name', ({ open }) => gatewayStateStoreContract(open))
