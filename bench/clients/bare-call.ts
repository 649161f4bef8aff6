import { bareRequest } from '../bare-request.ts'

/** One signed request to the store, with nothing around it. */
export async function handler(): Promise<void> {
  await bareRequest(process.env, {
    service: 'dynamodb',
    endpoint: process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.GetItem' },
    body: JSON.stringify({ TableName: 'tokens', Key: { pk: { S: 'a' }, sk: { S: 'a' } }, ConsistentRead: true }),
  })
}
