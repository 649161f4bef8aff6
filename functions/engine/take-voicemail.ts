import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoIdempotencyStore } from '../../adapters/dynamodb/access/dynamo-idempotency-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import { guardedMailSender } from '../../adapters/mail/guarded-mail-sender.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { DomainError } from '../../core/errors.ts'
import { mailVoicemail } from '../../core/voicemail/mail-voicemail.ts'
import { readVoicemailMessage } from '../../core/voicemail/voicemail-message.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.takeVoicemail,
  {
    domains: dynamoDomainStore,
    accounts: dynamoAccountStore,
    emailSettings: dynamoEmailSettingsStore,
    secretBox: kmsSecretBox,
    rateLimits: dynamoRateLimitStore,
    idempotency: dynamoIdempotencyStore,
    mail: guardedMailSender,
    events: sqsEventSink,
  },
  async ({ body, query, clock, random, settings }, ports) => {
    const lineEnd = body.indexOf(lineFeed)
    const line = new TextDecoder().decode(lineEnd < 0 ? body : body.subarray(0, lineEnd))
    const message = readVoicemailMessage(line)
    if (message === undefined) {
      throw new DomainError('invalid_field', "body: must begin with the line of the message in the engine's vm_list")
    }
    const audio = lineEnd < 0 ? undefined : body.subarray(lineEnd + 1)
    const graceMs = settings.deletionGraceSeconds * 1000
    const deps = { ...ports, clock, random, graceMs }
    return `${await mailVoicemail(deps, { message, size: Number(query.size), audio })}\n`
  },
)

const lineFeed = 0x0a
