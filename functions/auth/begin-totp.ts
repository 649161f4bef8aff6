import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { oneTimeCodes } from '../../adapters/otp/one-time-codes.ts'
import * as routes from '../../contracts/routes/auth.ts'
import { beginSecondFactor } from '../../core/auth/second-factor.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.beginTotp,
  { accounts: dynamoAccountStore, secretBox: kmsSecretBox },
  async (request, ports) => okInfo(await beginSecondFactor(ports, { ...request, codes: oneTimeCodes })),
)
