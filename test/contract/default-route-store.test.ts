import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { defaultRouteStoreContract } from './default-route-store.contract.ts'

describe.each(storeKinds)('default routes in $name', ({ open }) => defaultRouteStoreContract(open))
