import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/roles.ts'
import { listRoles } from '../../core/access/show-roles.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'

export const handler = endpoint(routes.listRoles, { roles: dynamoRoleStore }, async ({ domain, query }, ports) => {
  const { roles, headers } = await listRoles(ports, domain, query)
  return reply(okInfo(roles), { headers })
})
