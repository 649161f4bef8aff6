import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { takeCdr } from '../../core/cdr/take-cdr.ts'
import { readCdrPost } from './read-cdr-post.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(routes.takeCdr, { cdrQueue: sqsCdrQueue }, async ({ query, body, clock }, ports) => {
  await takeCdr(ports, { named: query.uuid, fields: readCdrPost(body), now: clock.now() })
  return okInfo('Queued.' as const)
})
