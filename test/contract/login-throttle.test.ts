import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { loginThrottleContract } from './login-throttle.contract.ts'

describe.each(storeKinds)('failed logins in $name', ({ open }) => loginThrottleContract(open))
