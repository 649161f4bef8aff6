import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/roles.ts'
import { updateRole } from '../../core/access/update-role.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.updateRole,
  { roles: dynamoRoleStore },
  async ({ params, body, ...request }, ports) => {
    await updateRole(ports, params.name, body, request)
    return okInfo(`+OK [${params.name}] updated !`)
  },
)
