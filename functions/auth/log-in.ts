import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { secretsManagerSecretReader } from '../../adapters/aws/secrets-manager-secret-reader.ts'
import { argonPasswordHasher } from '../../adapters/crypto/argon-password-hasher.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoLoginThrottle } from '../../adapters/dynamodb/access/dynamo-login-throttle.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import { dynamoSessionStore } from '../../adapters/dynamodb/access/dynamo-session-store.ts'
import { dynamoTokenStore } from '../../adapters/dynamodb/access/dynamo-token-store.ts'
import { oneTimeCodes } from '../../adapters/otp/one-time-codes.ts'
import * as routes from '../../contracts/routes/auth.ts'
import { logIn } from '../../core/auth/log-in.ts'
import { endpoint } from '../endpoint.ts'
import { sameText, tokenDigest, writeToken } from '../endpoint/token-text.ts'

export const handler = endpoint(
  routes.logIn,
  {
    accounts: dynamoAccountStore,
    roles: dynamoRoleStore,
    secretBox: kmsSecretBox,
    domains: dynamoDomainStore,
    tokens: dynamoTokenStore,
    passwords: argonPasswordHasher,
    secrets: secretsManagerSecretReader,
    loginThrottle: dynamoLoginThrottle,
    sessions: dynamoSessionStore,
  },
  async ({ body, sourceAddress, clock, random, settings, actAs }, ports) => {
    const input = { username: body.username, password: body.password, code: body.code, sourceAddress }
    const secrets = { sameText, tokenDigest, writeToken, codes: oneTimeCodes }
    const tools = { now: clock.now(), random, ...settings, ...secrets, actAs }
    return { ...(await logIn(ports, input, tools)), cdr: { host: settings.publicUrl, useProxy: 'true' as const } }
  },
)
