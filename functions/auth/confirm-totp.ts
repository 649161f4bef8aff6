import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoLoginThrottle } from '../../adapters/dynamodb/access/dynamo-login-throttle.ts'
import { oneTimeCodes } from '../../adapters/otp/one-time-codes.ts'
import * as routes from '../../contracts/routes/auth.ts'
import { confirmSecondFactor } from '../../core/auth/second-factor.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.confirmTotp,
  { accounts: dynamoAccountStore, secretBox: kmsSecretBox, loginThrottle: dynamoLoginThrottle },
  async ({ body, ...request }, ports) => {
    await confirmSecondFactor(ports, body.code, { ...request, codes: oneTimeCodes })
    return okInfo('The second factor is on.')
  },
)
