import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import * as routes from '../../contracts/routes/email.ts'
import { presentEmailSettings } from '../../core/email/email-settings.ts'
import { writeEmailSettings } from '../../core/email/write-email-settings.ts'
import { endpoint, reply } from '../endpoint.ts'
import { emailContext } from './email-context.ts'

export const handler = endpoint(
  routes.replaceEmailSettings,
  { emailSettings: dynamoEmailSettingsStore, secretBox: kmsSecretBox },
  async (request, ports) => {
    const record = await writeEmailSettings(ports, request.body, emailContext(request, { mustExist: true }))
    return reply(presentEmailSettings(record), { record })
  },
)
