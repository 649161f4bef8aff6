import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Secret } from '../assembly/assembly.ts'
import { type Backend, errorAnswer, jsonAnswer } from '../gate/backend.ts'

const input = z.object({ SecretId: z.string() })

/** The embedded Secrets Manager: `GetSecretValue` over the values given, by ARN. */
export function secretsBackend(values: ReadonlyMap<string, string>): Backend {
  const versionId = randomUUID()
  return ({ action, input: body }) => {
    const parsed = z.safeParse(input, body)
    if (action !== 'GetSecretValue' || !parsed.success) {
      return Promise.resolve(errorAnswer('UnknownOperationException', `${action} is not known here`))
    }
    const { SecretId } = parsed.data
    const value = values.get(SecretId)
    if (value === undefined) {
      return Promise.resolve(
        errorAnswer('ResourceNotFoundException', "Secrets Manager can't find the specified secret."),
      )
    }
    return Promise.resolve(
      jsonAnswer({ ARN: SecretId, Name: SecretId.split(':').at(-1), VersionId: versionId, SecretString: value }),
    )
  }
}

/** The text of a secret: the value alone, or one field of the JSON object that the template describes. */
export function secretText(secret: Secret, value: string): string {
  if (secret.field === undefined) return value
  const template: unknown = JSON.parse(secret.template ?? '{}')
  return JSON.stringify({ ...(typeof template === 'object' ? template : {}), [secret.field]: value })
}
