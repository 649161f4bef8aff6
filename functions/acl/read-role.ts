import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/roles.ts'
import { readRole } from '../../core/access/show-roles.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'

export const handler = endpoint(routes.readRole, { roles: dynamoRoleStore }, async ({ domain, params }, ports) => {
  const { acl, record } = await readRole(ports, domain, params.name)
  return reply(okInfo(acl), { record })
})
