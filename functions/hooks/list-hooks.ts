import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/hooks.ts'
import { listHooks } from '../../core/hooks/definition/list-hooks.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listHooks,
  { hooks: dynamoHookStore },
  async ({ domain, query, caller: { acl } }, { hooks }) => {
    const { data, headers } = await listHooks(hooks, { domain, acl }, query)
    return reply({ status: 'OK', data }, { headers })
  },
)
