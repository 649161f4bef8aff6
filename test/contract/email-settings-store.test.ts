import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { emailSettingsStoreContract } from './email-settings-store.contract.ts'

describe.each(storeKinds)('mail settings in $name', ({ open }) => emailSettingsStoreContract(open))
