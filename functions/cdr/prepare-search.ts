import { openSearchCdrAdmin } from '../../adapters/opensearch/opensearch-cdr-admin.ts'
import { prepareSearch as record } from '../../contracts/preparations.ts'
import { preparation } from '../preparation.ts'

export const handler = preparation(record, { cdrAdmin: openSearchCdrAdmin }, async ({ cdrAdmin }) => {
  const { retention } = await cdrAdmin.prepare()
  if (retention === 'by-store') return []
  return ['the search store has no Index State Management: CDRs are kept until somebody removes their indices']
})
