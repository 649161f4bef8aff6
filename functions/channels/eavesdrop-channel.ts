import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoKnownCallStore } from '../../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import * as routes from '../../contracts/routes/channels.ts'
import { eavesdropChannel } from '../../core/channels/eavesdrop-channel.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.eavesdropChannel,
  {
    accounts: dynamoAccountStore,
    engine: sqsCallEngine,
    events: sqsEventSink,
    knownCalls: dynamoKnownCallStore,
  },
  async (request, ports) =>
    eavesdropChannel(
      ports,
      request,
      { ...request.body, target: request.params.channel_id, side: request.query.side },
      {
        uuid: request.random.uuid(),
        commandId: request.random.uuid(),
        clock: request.clock,
        clientVariables: clientVariablesOf(request.settings),
      },
    ),
)
