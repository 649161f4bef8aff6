import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { routeStoreContract } from './route-store.contract.ts'

describe.each(storeKinds)('default routes in $name', ({ open }) => routeStoreContract(open, 'defaultRoutes'))
describe.each(storeKinds)('public routes in $name', ({ open }) => routeStoreContract(open, 'publicRoutes'))
