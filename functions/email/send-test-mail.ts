import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { guardedMailSender } from '../../adapters/mail/guarded-mail-sender.ts'
import * as routes from '../../contracts/routes/email.ts'
import { sendTestMail } from '../../core/email/send-test-mail.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.sendTestMail,
  {
    emailSettings: dynamoEmailSettingsStore,
    secretBox: kmsSecretBox,
    rateLimits: dynamoRateLimitStore,
    mail: guardedMailSender,
  },
  async (request, ports) => okInfo(await sendTestMail(ports, request.body.to, request)),
)
