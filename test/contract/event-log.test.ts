import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { eventLogContract } from './event-log.contract.ts'

describe.each(storeKinds)('event logs in $name', ({ open }) => eventLogContract(open))
