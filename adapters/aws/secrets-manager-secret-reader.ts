import { DescribeSecretCommand, GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import * as z from 'zod/mini'
import { type SecretName, secrets } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { SecretReader } from '../../core/secrets.ts'
import { type AdapterContext, required } from '../context.ts'
import { callService } from './call-service.ts'
import { environment } from '../../contracts/environment.ts'
import { clientOptions, oncePerEnvironment, withoutLogging } from './client-options.ts'

/** A rotated secret is taken up this much later at most. */
const FRESH_MS = 5 * 60_000

const title = 'the secret store'

/** The stage of the version that is in force. */
const CURRENT = 'AWSCURRENT'

/** The form in which generated secrets are often kept; any other text is the secret itself. */
const wrapped = z.object({ password: z.string() })

interface Version {
  readonly text: string
  readonly version: string
}

/** Secrets of the deployment from Secrets Manager. While it cannot be reached, the last value known stays good. */
export function secretsManagerSecretReader(context: AdapterContext): SecretReader {
  const known = new Map<SecretName, Version & { readonly readAt: number }>()
  const idOf = (name: SecretName) => required(context, secrets[name].variable)

  async function read(name: SecretName, freshMs: number): Promise<Version> {
    const cached = known.get(name)
    if (cached !== undefined && context.clock.now() - cached.readAt < freshMs) return cached
    try {
      const value = await fetchSecret(context, idOf(name))
      known.set(name, { ...value, readAt: context.clock.now() })
      return value
    } catch (error) {
      if (cached === undefined) throw error
      return cached
    }
  }

  return {
    async rootPassword() {
      // Root seldom logs in: a password that was changed a moment ago is the only one that counts.
      const { text, version } = await read('root', 0)
      return { text, version }
    },
    rootVersion: () => fetchVersion(context, idOf('root')),
    engineCredential: async () => (await read('engine', FRESH_MS)).text,
    cursorKey: async () => (await read('cursor', FRESH_MS)).text,
  }
}

async function fetchSecret(context: AdapterContext, SecretId: string): Promise<Version> {
  const command = new GetSecretValueCommand({ SecretId })
  const { SecretString: text, VersionId: version } = await callService(title, () =>
    secretsClient(context).send(command),
  )
  if (!text || version === undefined) {
    throw new DomainError('internal_error', 'a secret of the deployment has no text')
  }
  return { text: unwrapped(text), version }
}

async function fetchVersion(context: AdapterContext, SecretId: string): Promise<string> {
  const command = new DescribeSecretCommand({ SecretId })
  const { VersionIdsToStages = {} } = await callService(title, () => secretsClient(context).send(command))
  const [current] = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes(CURRENT)) ?? []
  if (current === undefined) throw new DomainError('internal_error', 'a secret of the deployment has no version')
  return current
}

function unwrapped(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const parsed = wrapped.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data.password : text
  } catch {
    return text
  }
}

/** The client of the secret store. */
export const secretsClient = oncePerEnvironment((context) => {
  const address = { name: 'secretsmanager', endpointVariable: environment.secretsEndpoint }
  return withoutLogging(new SecretsManagerClient(clientOptions(context, address)))
})
