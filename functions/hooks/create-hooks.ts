import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/hooks.ts'
import { createHooks } from '../../core/hooks/definition/create-hooks.ts'
import { presentCreatedHooks } from '../../core/hooks/definition/present-hook.ts'
import { endpoint } from '../endpoint.ts'
import { hookJudges } from './hook-judges.ts'

export const handler = endpoint(
  routes.createHooks,
  { hooks: dynamoHookStore, secretBox: kmsSecretBox },
  async ({ body, domain, caller, clock, random, settings }, ports) => {
    const tools = { ...ports, clock, random, judges: hookJudges(settings) }
    return presentCreatedHooks(await createHooks(tools, domain, body), caller.acl)
  },
)
