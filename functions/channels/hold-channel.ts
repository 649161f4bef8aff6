import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/channels.ts'
import { holdChannel } from '../../core/channels/hold-channel.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(routes.holdChannel, { engine: sqsCallEngine }, async (request, { engine }) =>
  holdChannel(engine, request, request.params.channel_id, request.body.state),
)
