import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/channels.ts'
import { listChannels, pageOfChannels } from '../../core/channels/list-channels.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(routes.listChannels, { engine: sqsCallEngine }, async (request, { engine }) => {
  const channels = await listChannels(engine, request, request.query, routes.channelFields)
  const { data, headers } = pageOfChannels(channels, request.query, routes.channelFields)
  return reply({ status: 'OK', data }, { headers })
})
