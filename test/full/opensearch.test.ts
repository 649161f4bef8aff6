import { expect, it } from 'vitest'
import { fetchOpenSearch, startOpenSearch } from '../support/opensearch-node.ts'

const fetched = fetchOpenSearch()
const missing = 'missing' in fetched ? fetched.missing : undefined
if (missing !== undefined) console.warn(`OpenSearch does not judge the search store: ${missing}`)

it.skipIf(missing !== undefined)('starts', async () => {
  const node = await startOpenSearch('folder' in fetched ? fetched.folder : '')
  const answer = await fetch(node.endpoint)
  expect(await answer.json()).toMatchObject({ version: { number: '2.19.4' } })
  console.info(node.memoryMib())
  await node.close()
})
