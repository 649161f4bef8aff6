import { openSearchCdrAdmin } from '../../adapters/opensearch/opensearch-cdr-admin.ts'
import { prepareSearch as record } from '../../contracts/preparations.ts'
import { preparation } from '../preparation.ts'

export const handler = preparation(record, { cdrAdmin: openSearchCdrAdmin }, async ({ cdrAdmin }) => {
  await cdrAdmin.prepare()
  return []
})
