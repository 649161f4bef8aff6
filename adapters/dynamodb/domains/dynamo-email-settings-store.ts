import * as z from 'zod/mini'
import type { EmailSettingsStore } from '../../../core/email/email-settings-store.ts'
import type { AdapterContext } from '../../context.ts'
import { type Put, getItem, putItem, tableName } from '../client.ts'
import { conditionally } from '../errors.ts'
import { parseItem, removeOnce } from '../items.ts'
import { joinKey } from '../key.ts'

const emailSettingsItem = z.object({
  id: z.string(),
  domain: z.string(),
  provider: z.literal('smtp'),
  description: z.string(),
  from: z.string(),
  options: z.object({
    host: z.string(),
    port: z.number(),
    secure: z.boolean(),
    debug: z.boolean(),
    tls: z.object({ rejectUnauthorized: z.boolean(), allowPlaintextLogin: z.optional(z.literal(true)) }),
    auth: z.optional(z.object({ user: z.optional(z.string()), sealedPass: z.optional(z.string()) })),
  }),
  createdAt: z.number(),
  version: z.number(),
})

/** Mail settings in DynamoDB, one item a domain, read consistently. */
export function dynamoEmailSettingsStore(context: AdapterContext): EmailSettingsStore {
  const table = () => tableName(context, 'emailSettings')
  return {
    async read(domain) {
      return parseItem(emailSettingsItem, await getItem(context, table(), itemKey(domain)))
    },
    async put(settings) {
      // A write whose answer was lost and that is tried again finds its own mark.
      const writeId = context.random.uuid()
      const isFirst = settings.version === 1
      const put: Put = {
        TableName: table(),
        Item: { ...itemKey(settings.domain), ...settings, writeId },
        ConditionExpression: isFirst
          ? 'attribute_not_exists(pk) OR writeId = :own'
          : 'version = :previous OR writeId = :own',
        ExpressionAttributeValues: { ':own': writeId, ...(isFirst ? {} : { ':previous': settings.version - 1 }) },
      }
      return (await conditionally(() => putItem(context, put))).done
    },
    async remove(domain, version) {
      const place = { TableName: table(), Key: itemKey(domain) }
      const result =
        version === undefined
          ? await removeOnce(context, place, 'attribute_exists(pk)')
          : await removeOnce(context, place, 'version = :version', { ':version': version })
      if (result.done) return 'removed'
      return result.stored === undefined ? 'absent' : 'version_changed'
    },
  }
}

function itemKey(domain: string) {
  return { pk: joinKey(domain), sk: 'email' }
}
