import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { connectorStatusStoreContract } from './connector-status-store.contract.ts'

describe.each(storeKinds)('reports of connectors in $name', ({ open }) => connectorStatusStoreContract(open))
