import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import * as routes from '../../contracts/routes/email.ts'
import { deleteEmailSettings } from '../../core/email/delete-email-settings.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteEmailSettings,
  { emailSettings: dynamoEmailSettingsStore },
  async ({ domain, precondition }, { emailSettings }) => {
    const removed = await deleteEmailSettings(emailSettings, domain, precondition)
    return { status: 'OK' as const, Info: `Removed ${removed} record.` }
  },
)
