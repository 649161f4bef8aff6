import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/roles.ts'
import { createRole } from '../../core/access/create-role.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(routes.createRole, { roles: dynamoRoleStore }, async ({ body, ...request }, ports) => {
  const [name] = [body.roles].flat()
  await createRole(ports, { ...body, name: name ?? '' }, request)
  return okInfo(`+OK [${name}] created !`)
})
