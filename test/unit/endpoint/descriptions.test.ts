import { expect, it } from 'vitest'
import { openApiDocument } from '../../../contracts/openapi/document.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { handler as readApiDescription } from '../../../functions/descriptions/read-api-description.ts'
import { anApi } from '../../support/platform/api.ts'

it('the description of the API is served without a credential, as the routes say', async () => {
  const answer = await anApi().call(readApiDescription)

  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes))))
})
