import * as z from 'zod/mini'
import type { AdapterContext } from '../context.ts'
import { exchange } from './exchange.ts'

/** What a request is signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Where a container of ECS asks for the credentials of its task; the path comes by the environment. */
const CONTAINER_HOST = 'http://169.254.170.2'

/** ECS renews credentials well before they end; those with less time than this left are asked for again. */
const RENEW_BEFORE_MS = 5 * 60_000

const TIMEOUT_MS = 2_000

const containerAnswer = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string(),
  Expiration: z.string(),
})

const ofContainers = new WeakMap<
  AdapterContext['env'],
  { readonly credentials: AwsCredentials; readonly endsAt: number }
>()

/**
 * The credentials of the process: those of its environment (a Lambda function, a laptop) or of its ECS task. The SDK's
 * own chain knows a dozen more sources, and costs 130 KB of every bundle.
 */
export async function awsCredentials(context: Pick<AdapterContext, 'env' | 'clock'>): Promise<AwsCredentials> {
  const { env, clock } = context
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  const { AWS_SESSION_TOKEN: sessionToken, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path } = env
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
  }
  if (path === undefined) throw new Error('no credentials: neither AWS_ACCESS_KEY_ID nor a container role is set')
  const known = ofContainers.get(env)
  if (known !== undefined && known.endsAt - clock.now() > RENEW_BEFORE_MS) return known.credentials
  const url = new URL(path, CONTAINER_HOST)
  const answer = await exchange(url, { method: 'GET', headers: {}, timeoutMs: TIMEOUT_MS })
  const given = containerAnswer.parse(JSON.parse(answer.body))
  const credentials = {
    accessKeyId: given.AccessKeyId,
    secretAccessKey: given.SecretAccessKey,
    sessionToken: given.Token,
  }
  ofContainers.set(env, { credentials, endsAt: Date.parse(given.Expiration) })
  return credentials
}
