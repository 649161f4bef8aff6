import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/hooks.ts'
import { presentHook } from '../../core/hooks/definition/present-hook.ts'
import { updateHook } from '../../core/hooks/definition/update-hook.ts'
import { endpoint, okData, reply } from '../endpoint.ts'
import { hookJudges } from './hook-judges.ts'

export const handler = endpoint(
  routes.updateHook,
  { hooks: dynamoHookStore },
  async ({ domain, params, body, precondition, settings, caller }, { hooks }) => {
    const change = { hooks, judges: hookJudges(settings), precondition }
    const record = await updateHook(change, { domain, id: params.hook_id }, body)
    return reply(okData(presentHook(record, caller.acl)), { record })
  },
)
