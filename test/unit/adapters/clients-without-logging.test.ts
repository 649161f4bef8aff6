import { expect, test } from 'vitest'
import { dynamoClient } from '../../../adapters/aws/dynamodb-client.ts'
import { kmsClient } from '../../../adapters/aws/kms-secret-box.ts'
import { s3Client, s3ClientOfOneAttempt } from '../../../adapters/aws/s3-client.ts'
import { secretsClient } from '../../../adapters/aws/secrets-manager-secret-reader.ts'
import { pollingClient, sqsClient } from '../../../adapters/aws/sqs-client.ts'

const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
const clients = { dynamoClient, kmsClient, s3Client, s3ClientOfOneAttempt, secretsClient, sqsClient, pollingClient }

test.each(Object.entries(clients))('%s copies no inputs and outputs for a logger', (_name, clientOf) => {
  const steps = clientOf({ env }).middlewareStack.identify()

  // The middleware whose name the SDK chooses: another step of it shows that the list is one of names.
  expect(steps.join()).toContain('retryMiddleware')
  expect(steps.join()).not.toContain('loggerMiddleware')
})
