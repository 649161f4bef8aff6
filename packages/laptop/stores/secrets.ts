import { scryptSync } from 'node:crypto'
import * as z from 'zod/mini'
import type { Secret } from '../assembly/assembly.ts'
import { type Backend, errorAnswer, jsonAnswer } from '../gate/backend.ts'

const input = z.object({ SecretId: z.string() })

/**
 * Returns the embedded Secrets Manager: `GetSecretValue` and `DescribeSecret` over the values given, by ARN. A secret
 * has the same version as long as it has the same value, over restarts too; `salt` keeps anybody from guessing the
 * value by it.
 */
export function secretsBackend(values: ReadonlyMap<string, string>, salt: Uint8Array): Backend {
  const versions = new Map<string, string>()
  const versionOf = (value: string): string => {
    const version = versions.get(value) ?? scryptSync(value, salt, 16).toString('hex')
    versions.set(value, version)
    return version
  }
  return ({ action, input: body }) => {
    const parsed = z.safeParse(input, body)
    if ((action !== 'GetSecretValue' && action !== 'DescribeSecret') || !parsed.success) {
      return Promise.resolve(errorAnswer('UnknownOperationException', `${action} is not known here`))
    }
    const { SecretId } = parsed.data
    const value = values.get(SecretId)
    if (value === undefined) {
      return Promise.resolve(
        errorAnswer('ResourceNotFoundException', "Secrets Manager can't find the specified secret."),
      )
    }
    const about = { ARN: SecretId, Name: SecretId.split(':').at(-1) }
    const VersionId = versionOf(value)
    return Promise.resolve(
      action === 'GetSecretValue'
        ? jsonAnswer({ ...about, VersionId, SecretString: value })
        : jsonAnswer({ ...about, VersionIdsToStages: { [VersionId]: ['AWSCURRENT'] } }),
    )
  }
}

/** Returns the text of a secret: the value alone, or one field of the JSON object that the template describes. */
export function secretText(secret: Secret, value: string): string {
  if (secret.field === undefined) return value
  const template: unknown = JSON.parse(secret.template ?? '{}')
  return JSON.stringify({ ...(typeof template === 'object' ? template : {}), [secret.field]: value })
}
