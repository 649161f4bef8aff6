import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import * as routes from '../../contracts/routes/email.ts'
import { presentEmailSettings, readEmailSettings } from '../../core/email/email-settings.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readEmailSettings,
  { emailSettings: dynamoEmailSettingsStore },
  async ({ domain }, { emailSettings }) => {
    const record = await readEmailSettings(emailSettings, domain)
    return reply(presentEmailSettings(record), { record })
  },
)
