import * as z from 'zod/mini'
import type { AdapterContext } from '../context.ts'
import { exchange } from './exchange.ts'

/** What a request is signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

type Source = Pick<AdapterContext, 'env' | 'clock'>

/** Where ECS answers the path that it gives to a container. */
const CONTAINER_HOST = 'http://169.254.170.2'

/** ECS renews a task's credentials well before they end; those with less time than this left are asked for again. */
const RENEW_BEFORE_MS = 5 * 60_000

const TIMEOUT_MS = 2_000

const taskAnswer = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string(),
  Expiration: z.string(),
})

interface TaskCredentials {
  readonly credentials: AwsCredentials
  /** Epoch milliseconds. */
  readonly endsAt: number
}

/** The credentials of a task, or the question for them that is under way, by the environment that they belong to. */
const ofTasks = new WeakMap<AdapterContext['env'], Promise<TaskCredentials>>()

/** The credentials of the process: those of its environment (a Lambda function, a laptop), or of its ECS task. */
export async function awsCredentials(source: Source): Promise<AwsCredentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = source.env
  const { AWS_SESSION_TOKEN: sessionToken } = source.env
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
  }
  for (;;) {
    const asked = ofTasks.get(source.env)
    const known = await asked?.catch(() => undefined)
    if (known !== undefined && known.endsAt - source.clock.now() > RENEW_BEFORE_MS) return known.credentials
    // Whoever comes here first asks; the others wait for the same answer.
    if (ofTasks.get(source.env) === asked) return renewed(source, known)
  }
}

/** Asks again. While there is no answer, what is known serves to its end. */
async function renewed(source: Source, known: TaskCredentials | undefined): Promise<AwsCredentials> {
  const asked = askTask(source.env)
  ofTasks.set(source.env, asked)
  try {
    return (await asked).credentials
  } catch (error) {
    if (known === undefined || known.endsAt <= source.clock.now()) throw error
    ofTasks.set(source.env, Promise.resolve(known))
    return known.credentials
  }
}

async function askTask(env: AdapterContext['env']): Promise<TaskCredentials> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: address } = env
  if (!path && !address) throw new Error('no credentials: neither AWS_ACCESS_KEY_ID nor the role of a task is set')
  const url = path ? new URL(path, CONTAINER_HOST) : new URL(address ?? '')
  const answer = await exchange(url, { method: 'GET', headers: {}, timeoutMs: TIMEOUT_MS })
  if (answer.status !== 200) throw new Error(`the task's credentials were answered with ${answer.status}`)
  const given = taskAnswer.parse(JSON.parse(answer.body))
  return {
    credentials: {
      accessKeyId: given.AccessKeyId,
      secretAccessKey: given.SecretAccessKey,
      sessionToken: given.Token,
    },
    endsAt: Date.parse(given.Expiration),
  }
}
