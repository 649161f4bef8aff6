import { KMSClient } from '@aws-sdk/client-kms'
import { SignatureV4 } from '@smithy/signature-v4'
import * as z from 'zod/mini'

/** Answers of an account, by the protocol of each service. Nothing is changed by any of the questions. */
export interface Account {
  readonly region: string
  /** A service with JSON requests, asked by the target of the operation. */
  json(service: string, target: string, input: object): Promise<unknown>
  /** A service with forms and XML. */
  query(service: string, version: string, input: Readonly<Record<string, string>>): Promise<string>
  get(service: string, path: string): Promise<unknown>
}

/** The account refused a question; `code` is the service's own word for the reason. */
export class AccountRefused extends Error {
  override readonly name = 'AccountRefused'
  readonly code: string

  constructor(service: string, code: string) {
    super(`${service} answered ${code}`)
    this.code = code
  }
}

/** IAM is one for all regions, and answers in this one. */
const iamRegion = 'us-east-1'

const hosts: Readonly<Record<string, (region: string) => string>> = {
  iam: () => 'iam.amazonaws.com',
  ecr: (region) => `api.ecr.${region}.amazonaws.com`,
}

const questionMs = 15_000

/** Opens the account of the credentials in the environment or in the files of the AWS CLI. */
export async function openAccount(ofSettings: string | undefined): Promise<Account> {
  const { config } = new KMSClient({})
  const region = ofSettings ?? (await config.region().catch(() => undefined))
  if (region === undefined)
    throw new Error('no region is chosen: set region in the settings of the stage, or AWS_REGION')
  await config.credentials().catch(() => {
    throw new Error('no credentials are found: set AWS_PROFILE, or log in with aws sso login')
  })
  const ask = async (service: string, path: string, headers: Readonly<Record<string, string>>, body?: string) => {
    const own = new URL(
      process.env['AWS_ENDPOINT_URL'] ?? `https://${hosts[service]?.(region) ?? `${service}.${region}.amazonaws.com`}`,
    )
    const signer = new SignatureV4({
      credentials: config.credentials,
      region: service === 'iam' ? iamRegion : region,
      service,
      sha256: config.sha256,
    })
    const method = body === undefined ? 'GET' : 'POST'
    const signed = await signer.sign({
      method,
      protocol: own.protocol,
      hostname: own.hostname,
      path,
      headers: { host: own.host, ...headers },
      ...(body !== undefined && { body }),
    })
    const init = {
      method,
      headers: signed.headers,
      signal: AbortSignal.timeout(questionMs),
      ...(body !== undefined && { body }),
    }
    const answer = await fetch(new URL(path, own), init).catch(() => {
      throw new Error(`${service} does not answer in ${region}: is the network there, and the region right?`)
    })
    const text = await answer.text()
    if (!answer.ok) throw new AccountRefused(service, codeOf(text) ?? String(answer.status))
    return text
  }
  return {
    region,
    json: async (service, target, input) =>
      JSON.parse(
        await ask(
          service,
          '/',
          { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
          JSON.stringify(input),
        ),
      ),
    query: (service, version, input) =>
      ask(
        service,
        '/',
        { 'content-type': 'application/x-www-form-urlencoded' },
        new URLSearchParams({ ...input, Version: version }).toString(),
      ),
    get: async (service, path) => JSON.parse(await ask(service, path, {})),
  }
}

const refusal = z.object({ __type: z.string() })

function codeOf(text: string): string | undefined {
  const code = /<Code>([\w.]+)<\/Code>/.exec(text)?.[1]
  if (code !== undefined) return code
  try {
    return z.safeParse(refusal, JSON.parse(text)).data?.__type.split('#').at(-1)
  } catch {
    return undefined
  }
}
