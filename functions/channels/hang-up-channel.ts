import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/channels.ts'
import { hangUpChannel } from '../../core/channels/hang-up-channel.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(routes.hangUpChannel, { engine: sqsCallEngine }, async (request, { engine }) =>
  hangUpChannel(engine, request, request.params.channel_id, request.query.cause),
)
