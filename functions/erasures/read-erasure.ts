import { dynamoErasureStore } from '../../adapters/dynamodb/domains/dynamo-erasure-store.ts'
import * as routes from '../../contracts/routes/erasures.ts'
import { readErasure } from '../../core/erasures/read-erasure.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(routes.readErasure, { erasures: dynamoErasureStore }, async (request, { erasures }) =>
  okData(await readErasure(erasures, request, request.params.job_id)),
)
