import { createHash } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Returns a digest that identifies the presented token, empty without one: no stored or logged value reveals it. */
export function tokenOf({ headers }: Pick<APIGatewayProxyEventV2, 'headers'>): string {
  const text = headers['x-access-token'] ?? ''
  return text === '' ? '' : createHash('sha256').update(`rate:${text}`).digest('base64url')
}
