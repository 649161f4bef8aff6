import { createHash } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Returns what stands for the presented token, empty where there is none: nothing stored or logged reveals the token. */
export function tokenOf({ headers }: Pick<APIGatewayProxyEventV2, 'headers'>): string {
  const text = headers['x-access-token'] ?? ''
  return text === '' ? '' : createHash('sha256').update(`rate:${text}`).digest('base64url')
}
