import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { gatewayStoreContract } from './gateway-store.contract.ts'

describe.each(storeKinds)('gateways in $name', ({ open }) => gatewayStoreContract(open))
