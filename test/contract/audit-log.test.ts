import { describe } from 'vitest'
import { storeKinds } from '../support/stores/stores.ts'
import { auditLogContract } from './audit-log.contract.ts'

describe.each(storeKinds)('the audit trail in $name', ({ open }) => auditLogContract(open))
