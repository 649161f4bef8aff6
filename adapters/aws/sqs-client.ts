import { SQSClient } from '@aws-sdk/client-sqs'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, pollRequestHandler, withoutLogging } from './client-options.ts'

/**
 * Without the check of each body's MD5 sum, which costs the processor of both sides and finds nothing that TLS lets
 * through.
 */
const queueOptions = (context: Parameters<typeof clientOptions>[0]) => ({
  ...clientOptions(context, { name: 'sqs', endpointVariable: environment.sqsEndpoint }),
  md5: false as const,
})

/** The client of the queues. */
export const sqsClient = oncePerEnvironment((context) => withoutLogging(new SQSClient(queueOptions(context))))

/** The client for long polls. A poll that fails is not retried, since its caller polls again anyway. */
export const pollingClient = oncePerEnvironment((context) =>
  withoutLogging(new SQSClient({ ...queueOptions(context), requestHandler: pollRequestHandler, maxAttempts: 1 })),
)
