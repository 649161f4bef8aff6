import { dynamoTokenStore } from '../../adapters/dynamodb/access/dynamo-token-store.ts'
import * as routes from '../../contracts/routes/auth.ts'
import { logOut } from '../../core/auth/log-out.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(routes.logOut, { tokens: dynamoTokenStore }, async ({ caller }, { tokens }) =>
  okInfo(await logOut(tokens, caller)),
)
