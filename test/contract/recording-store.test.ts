import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { recordingStoreContract } from './recording-store.contract.ts'

describe.each(storeKinds)('recordings in $name', ({ open }) => recordingStoreContract(open))
