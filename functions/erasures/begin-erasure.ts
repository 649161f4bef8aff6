import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoErasureStore } from '../../adapters/dynamodb/domains/dynamo-erasure-store.ts'
import { sqsErasureQueue } from '../../adapters/sqs/sqs-erasure-queue.ts'
import { hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import { secretsManagerSecretReader } from '../../adapters/aws/secrets-manager-secret-reader.ts'
import * as routes from '../../contracts/routes/erasures.ts'
import { beginErasure } from '../../core/erasures/begin-erasure.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(
  routes.beginErasure,
  {
    domains: dynamoDomainStore,
    accounts: dynamoAccountStore,
    erasures: dynamoErasureStore,
    erasureQueue: sqsErasureQueue,
    rateLimits: dynamoRateLimitStore,
    secrets: secretsManagerSecretReader,
  },
  async (request, ports) => {
    // The trail proves later that a party was erased, to whoever names it again, and does not name it.
    const key = new TextEncoder().encode(await ports.secrets.cursorKey())
    const { jobId, named } = await beginErasure(ports, request, request.body, request)
    request.noteInAudit(`erasure ${jobId} of ${hmacSha256(key, `erasure ${request.domain} ${named}`)}`)
    return okData({ jobId })
  },
)
