import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { deliveryId, hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoEventLog } from '../../adapters/dynamodb/events/dynamo-event-log.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { guardedTestClient } from '../../adapters/http/guarded-hook-client.ts'
import { linearPattern, patternRest } from '../../adapters/regex/linear-pattern.ts'
import * as routes from '../../contracts/routes/hook-lab.ts'
import { testHook } from '../../core/hooks/lab/test-hook.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(
  routes.testHook,
  {
    hooks: dynamoHookStore,
    eventLog: dynamoEventLog,
    deliveries: dynamoDeliveryStore,
    hookClient: guardedTestClient,
    secretBox: kmsSecretBox,
    rateLimits: dynamoRateLimitStore,
  },
  async ({ domain, params, body, clock, random, requestId }, ports) => {
    const judges = { compile: linearPattern, rest: patternRest, hmac: hmacSha256, deliveryIdOf: deliveryId }
    return okData(
      await testHook({ ...ports, ...judges, clock, random, requestId }, { domain, id: params.hook_id }, body),
    )
  },
)
