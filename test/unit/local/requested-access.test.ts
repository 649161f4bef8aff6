import { describe, expect, it } from 'vitest'
import {
  dynamoAccess,
  keyAccess,
  objectAccess,
  secretAccess,
  sqsAccess,
} from '../../../packages/laptop/gate/requested-access.ts'
import { place } from '../../support/platform/small-assembly.ts'

const table = (name: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`

describe('dynamoAccess', () => {
  it.each([
    ['GetItem', { TableName: 'A', Key: {} }, [['dynamodb:GetItem', table('A')]]],
    ['Query', { TableName: 'A', IndexName: 'by-state' }, [['dynamodb:Query', `${table('A')}/index/by-state`]]],
    ['GetItem', { TableName: table('A') }, [['dynamodb:GetItem', table('A')]]],
    [
      'BatchGetItem',
      { RequestItems: { A: {}, B: {} } },
      [
        ['dynamodb:BatchGetItem', table('A')],
        ['dynamodb:BatchGetItem', table('B')],
      ],
    ],
    [
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'A' } },
          { Update: { TableName: 'B' } },
          { Delete: { TableName: 'C' } },
          { ConditionCheck: { TableName: 'D' } },
        ],
      },
      [
        ['dynamodb:PutItem', table('A')],
        ['dynamodb:UpdateItem', table('B')],
        ['dynamodb:DeleteItem', table('C')],
        ['dynamodb:ConditionCheckItem', table('D')],
      ],
    ],
    ['TransactGetItems', { TransactItems: [{ Get: { TableName: 'A' } }] }, [['dynamodb:GetItem', table('A')]]],
  ])('a call of DynamoDB %s needs the action on each thing that it touches', (action, body, expected) => {
    expect(dynamoAccess(place, action, body)?.map(({ action: needed, resource }) => [needed, resource])).toEqual(
      expected,
    )
  })

  it.each([
    ['ExecuteStatement', { Statement: 'SELECT * FROM A' }],
    ['GetItem', {}],
    ['GetItem', undefined],
    ['BatchGetItem', { RequestItems: [1] }],
    ['TransactWriteItems', { TransactItems: [{ Put: {} }] }],
  ])('a call of DynamoDB %s that names no table is not known', (action, body) => {
    expect(dynamoAccess(place, action, body)).toBeUndefined()
  })
})

describe('the other services', () => {
  it('a batch requires the single action of its service', () => {
    const body = { QueueUrl: 'http://127.0.0.1:9000/000000000000/Work.fifo' }

    expect(sqsAccess(place, 'SendMessageBatch', body)).toEqual([
      { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:us-east-1:000000000000:Work.fifo' },
    ])
  })

  it('a key is found by its id as well as by its ARN', () => {
    const expected = [{ action: 'kms:Decrypt', resource: 'arn:aws:kms:us-east-1:000000000000:key/abc' }]

    expect(keyAccess(place, 'Decrypt', { KeyId: 'abc' })).toEqual(expected)
    expect(keyAccess(place, 'Decrypt', { KeyId: 'arn:aws:kms:us-east-1:000000000000:key/abc' })).toEqual(expected)
    expect(keyAccess(place, 'Decrypt', {})).toBeUndefined()
  })

  it('secrets are named by their ARN', () => {
    expect(secretAccess('GetSecretValue', { SecretId: 'arn:x' })).toEqual([
      { action: 'secretsmanager:GetSecretValue', resource: 'arn:x' },
    ])
  })

  it.each([
    ['GET', '/bucket/a/b.wav', [{ action: 's3:GetObject', resource: 'arn:aws:s3:::bucket/a/b.wav' }]],
    ['HEAD', '/bucket/a', [{ action: 's3:GetObject', resource: 'arn:aws:s3:::bucket/a' }]],
    ['PUT', '/bucket/a', [{ action: 's3:PutObject', resource: 'arn:aws:s3:::bucket/a' }]],
    ['DELETE', '/bucket/a', [{ action: 's3:DeleteObject', resource: 'arn:aws:s3:::bucket/a' }]],
    ['POST', '/bucket/a', undefined],
    ['POST', '/bucket/a?uploads=', [{ action: 's3:PutObject', resource: 'arn:aws:s3:::bucket/a' }]],
    ['PUT', '/bucket/a?partNumber=1&uploadId=u', [{ action: 's3:PutObject', resource: 'arn:aws:s3:::bucket/a' }]],
    ['POST', '/bucket/a?uploadId=u', [{ action: 's3:PutObject', resource: 'arn:aws:s3:::bucket/a' }]],
    ['GET', '/bucket/a?uploadId=u', [{ action: 's3:ListMultipartUploadParts', resource: 'arn:aws:s3:::bucket/a' }]],
    ['DELETE', '/bucket/a?uploadId=u', [{ action: 's3:AbortMultipartUpload', resource: 'arn:aws:s3:::bucket/a' }]],
    ['POST', '/bucket/a?restore', [{ action: 's3:RestoreObject', resource: 'arn:aws:s3:::bucket/a' }]],
    [
      'GET',
      '/bucket/a?X-Amz-Date=1&response-expires=0',
      [{ action: 's3:GetObject', resource: 'arn:aws:s3:::bucket/a' }],
    ],
    ['GET', '/bucket/a?acl', undefined],
    ['PUT', '/bucket/a?tagging', undefined],
    ['GET', '/bucket', undefined],
    [
      'GET',
      '/bucket/?versions&prefix=a&max-keys=9',
      [{ action: 's3:ListBucketVersions', resource: 'arn:aws:s3:::bucket' }],
    ],
    ['GET', '/bucket?versions', undefined],
    ['GET', '/bucket?versions&prefix=a&delimiter=b', undefined],
    ['GET', '/bucket/a?versions&prefix=a', undefined],
    ['PUT', '/bucket?versions&prefix=a', undefined],
    [
      'PUT',
      '/bucket/a?legal-hold&versionId=v',
      [{ action: 's3:PutObjectLegalHold', resource: 'arn:aws:s3:::bucket/a' }],
    ],
    ['GET', '/bucket/a?versionId=v', undefined],
    ['DELETE', '/bucket/a?versionId=v', undefined],
    ['GET', '/', undefined],
  ])('the access of an object request is recognized: %s %s', (method, target, expected) => {
    const [path = '', query] = target.split('?')

    expect(objectAccess(method, path, new URLSearchParams(query))).toEqual(expected)
  })
})
