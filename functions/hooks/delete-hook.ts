import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/hooks.ts'
import { deleteHook } from '../../core/hooks/definition/delete-hook.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteHook,
  { hooks: dynamoHookStore },
  async ({ domain, params, precondition }, { hooks }) => {
    await deleteHook(hooks, { domain, id: params.hook_id }, precondition)
    return okData({ ok: 1 as const, n: 1 as const })
  },
)
