import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/hooks.ts'
import { rotateSecret } from '../../core/hooks/definition/rotate-secret.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(
  routes.rotateHookSecret,
  { hooks: dynamoHookStore, secretBox: kmsSecretBox },
  async ({ domain, params, clock, random }, ports) => {
    const name = { domain, id: params.hook_id }
    const { secret, previousUntil } = await rotateSecret({ ...ports, clock, random }, name)
    return okData({ _id: name.id, secrets: { [name.id]: secret }, previousUntil })
  },
)
