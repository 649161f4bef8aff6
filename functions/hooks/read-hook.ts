import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/hooks.ts'
import { presentHook } from '../../core/hooks/definition/present-hook.ts'
import { readHook } from '../../core/hooks/definition/read-hook.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readHook,
  { hooks: dynamoHookStore },
  async ({ domain, params, caller }, { hooks }) => {
    const record = await readHook(hooks, { domain, id: params.hook_id })
    return reply(okData(presentHook(record, caller.acl)), { record })
  },
)
