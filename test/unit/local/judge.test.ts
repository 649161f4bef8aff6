import { describe, expect, it } from 'vitest'
import { readStatements } from '../../../packages/laptop/assembly/read-roles.ts'
import { judge, matchesPattern } from '../../../packages/laptop/gate/judge.ts'

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Accounts'
const read = { action: 'dynamodb:GetItem', resource: table }

const allow = (more: object) => ({ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table, ...more })

describe('judge', () => {
  it.each([
    ['nothing allows it', [], 'not allowed'],
    ['a statement names action and resource', [allow({})], 'allowed'],
    [
      'a list names them among others',
      [allow({ Action: ['dynamodb:Query', 'dynamodb:GetItem'], Resource: ['x', table] })],
      'allowed',
    ],
    ['the action is spelled in other case', [allow({ Action: 'DynamoDB:getitem' })], 'allowed'],
    ['the resource is spelled in other case', [allow({ Resource: table.toUpperCase() })], 'not allowed'],
    ['the action is another', [allow({ Action: 'dynamodb:PutItem' })], 'not allowed'],
    ['the resource is another', [allow({ Resource: `${table}2` })], 'not allowed'],
    ['the resource is the index of the table', [allow({ Resource: `${table}/index/by-state` })], 'not allowed'],
    ['wildcards fit', [allow({ Action: 'dynamodb:Get*', Resource: '*:table/Acc?unts' })], 'allowed'],
    ['a wildcard does not fit', [allow({ Action: 'dynamodb:Batch*' })], 'not allowed'],
    ['the action is excepted', [allow({ Action: undefined, NotAction: 'dynamodb:Get*' })], 'not allowed'],
    ['another action is excepted', [allow({ Action: undefined, NotAction: 'dynamodb:Put*' })], 'allowed'],
    ['the resource is excepted', [allow({ Resource: undefined, NotResource: table })], 'not allowed'],
    ['another resource is excepted', [allow({ Resource: undefined, NotResource: 'x' })], 'allowed'],
    ['a denial comes after an allowance', [allow({}), allow({ Effect: 'Deny' })], 'explicitly denied'],
    ['a denial comes before an allowance', [allow({ Effect: 'Deny', Action: '*' }), allow({})], 'explicitly denied'],
    ['a denial speaks of another table', [allow({}), allow({ Effect: 'Deny', Resource: 'x' })], 'allowed'],
    ['its condition holds', [allow({ Condition: { Bool: { 'aws:SecureTransport': 'true' } } })], 'allowed'],
    ['its condition does not hold', [allow({ Condition: { Bool: { 'aws:SecureTransport': false } } })], 'not allowed'],
    [
      'one of its conditions does not hold',
      [allow({ Condition: { Bool: { 'aws:SecureTransport': 'true' }, StringEquals: { 'aws:Tag': 'x' } } })],
      'not allowed',
    ],
    [
      'a condition asks for a key that is not there',
      [allow({ Condition: { StringLike: { 'aws:Tag': '*' } } })],
      'not allowed',
    ],
    [
      'a condition asks only if the key is there',
      [allow({ Condition: { StringLikeIfExists: { 'aws:Tag': 'x' } } })],
      'allowed',
    ],
    [
      'a negated condition asks for a missing key',
      [allow({ Condition: { StringNotEquals: { 'aws:Tag': 'x' } } })],
      'allowed',
    ],
    [
      'an allowance has a condition of an unknown kind',
      [allow({ Condition: { DateLessThan: { 'aws:CurrentTime': 'x' } } })],
      'not allowed',
    ],
    [
      'a denial has a condition of an unknown kind',
      [allow({}), allow({ Effect: 'Deny', Condition: { DateLessThan: { k: 'x' } } })],
      'explicitly denied',
    ],
    [
      'a denial of insecure transport meets a secure one',
      [allow({}), allow({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
      'allowed',
    ],
  ])('a policy is judged as IAM would when %s', (_name, statements, verdict) => {
    const context = { 'aws:securetransport': ['true'] }

    expect(judge(readStatements({ Statement: statements }), read, context)).toBe(verdict)
  })
})

describe('matchesPattern', () => {
  it.each([
    ['', '', true],
    ['*', '', true],
    ['**', 'abc', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abcd', false],
    ['a*b*c', 'a-b-b-c', true],
    ['?', '', false],
    ['a?c', 'abc', true],
    ['a.c', 'abc', false],
    ['*aab', 'aaaaab', true],
  ])('a pattern of a policy matches as in IAM: %j against %j', (pattern, text, fits) => {
    expect(matchesPattern(pattern, text)).toBe(fits)
  })
})
