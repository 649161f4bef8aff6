import { KMSClient } from '@aws-sdk/client-kms'
import { SignatureV4 } from '@smithy/signature-v4'
import * as z from 'zod/mini'

/** Answers of an account, by the protocol of each service. Nothing is changed by any of the questions. */
export interface Account {
  readonly region: string
  /** A service with JSON requests, asked by the target of the operation; in `region` if it is another one. */
  json(service: string, target: string, input: object, region?: string): Promise<unknown>
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

/** Returns the service's word for the reason, if the error is a refusal. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof AccountRefused ? error.code : undefined
}

/** IAM is one for all regions; it, and the service of its quotas, answer in this one. */
export const iamRegion = 'us-east-1'

const hosts: Readonly<Record<string, (region: string) => string>> = {
  iam: () => 'iam.amazonaws.com',
  ecr: (region) => `api.ecr.${region}.amazonaws.com`,
}

const questionMs = 15_000

/** Opens the account of the credentials in the environment or in the files of the AWS CLI. */
export async function openAccount(ofSettings: string | undefined): Promise<Account> {
  const { config } = new KMSClient({})
  const home = ofSettings ?? (await config.region().catch(() => undefined))
  if (home === undefined) throw new Error('no region is chosen: set region in the settings of the stage, or AWS_REGION')
  const { credentials, sha256 } = config
  await credentials().catch(() => {
    throw new Error('no credentials are found: set AWS_PROFILE, or log in with aws sso login')
  })
  const ask = async (
    service: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    region = home,
  ) => {
    const own = new URL(
      process.env['AWS_ENDPOINT_URL'] ?? `https://${hosts[service]?.(region) ?? `${service}.${region}.amazonaws.com`}`,
    )
    const signedIn = service === 'iam' ? iamRegion : region
    const signer = new SignatureV4({ credentials, sha256, region: signedIn, service })
    const { protocol, hostname, host } = own
    const request = { method: body === undefined ? 'GET' : 'POST', ...(body !== undefined && { body }) }
    const signed = await signer.sign({ ...request, protocol, hostname, path, headers: { host, ...headers } })
    const init = { ...request, headers: signed.headers, signal: AbortSignal.timeout(questionMs) }
    const answer = await fetch(new URL(path, own), init).catch(() => {
      throw new Error(`${service} does not answer in ${region}: is the network there, and the region right?`)
    })
    const text = await answer.text()
    if (!answer.ok) throw new AccountRefused(service, codeIn(text) ?? String(answer.status))
    return text
  }
  return {
    region: home,
    json: async (service, target, input, region) => {
      const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target }
      return JSON.parse(await ask(service, '/', headers, JSON.stringify(input), region))
    },
    query: (service, version, input) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return ask(service, '/', headers, new URLSearchParams({ ...input, Version: version }).toString())
    },
    get: async (service, path) => JSON.parse(await ask(service, path, {})),
  }
}

const refusal = z.object({ __type: z.string() })

function codeIn(text: string): string | undefined {
  const code = /<Code>([\w.]+)<\/Code>/.exec(text)?.[1]
  if (code !== undefined) return code
  try {
    return z.safeParse(refusal, JSON.parse(text)).data?.__type.split('#').at(-1)
  } catch {
    return undefined
  }
}
