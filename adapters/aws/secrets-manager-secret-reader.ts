import * as z from 'zod/mini'
import { type SecretName, secrets } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { SecretReader } from '../../core/ports.ts'
import { type AdapterContext, required } from '../context.ts'
import { awsJson, services } from './aws-json.ts'

/** A rotated secret is taken up this much later at most. */
const FRESH_MS = 5 * 60_000

const answer = z.object({ SecretString: z.string() })

/** The form in which generated secrets are often kept; any other text is the secret itself. */
const wrapped = z.object({ password: z.string() })

/** Secrets of the deployment from Secrets Manager. While it cannot be reached, the last value known stays good. */
export function secretsManagerSecretReader(context: AdapterContext): SecretReader {
  const known = new Map<SecretName, { readonly value: string; readonly readAt: number }>()

  async function read(name: SecretName): Promise<string> {
    const cached = known.get(name)
    if (cached !== undefined && context.clock.now() - cached.readAt < FRESH_MS) return cached.value
    try {
      const value = await fetchSecret(context, required(context, secrets[name].variable))
      known.set(name, { value, readAt: context.clock.now() })
      return value
    } catch (error) {
      if (cached === undefined) throw error
      return cached.value
    }
  }

  return { rootPassword: () => read('root'), engineCredential: () => read('engine') }
}

async function fetchSecret(context: AdapterContext, SecretId: string): Promise<string> {
  const given = answer.safeParse(await awsJson(context, services.secrets, 'GetSecretValue', { SecretId }))
  if (!given.success || given.data.SecretString === '') {
    throw new DomainError('internal_error', 'a secret of the deployment has no text')
  }
  return unwrapped(given.data.SecretString)
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
