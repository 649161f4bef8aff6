import { describe, expect, test } from 'vitest'
import { access } from '../../contracts/access/access.ts'
import type { Access } from '../../contracts/access/access-kinds.ts'
import { buckets, keys, queues, searchDomains, secrets, tables } from '../../contracts/resources.ts'
import type { Judgement } from '../../packages/laptop/gate/gate.ts'
import { type Exercise, exercises, unseen } from '../support/stores/cloud-exercises.ts'
import type { CloudCall } from '../support/stores/cloud-gate.ts'
import { cloudAnswer, openCloud } from '../support/stores/open-cloud.ts'
import { opened } from '../support/processes/opened.ts'

describe('each method of each port asks the cloud for exactly what contracts/access/access.ts grants it', () => {
  const cloud = opened(openCloud)
  const cases = Object.entries(access).flatMap(([port, methods]) =>
    Object.entries(methods).map(([method, granted]) => ({ port, method, granted })),
  )

  test.each(cases)(
    'the method $port $method asks the cloud for exactly what its declaration grants',
    async ({ port, method, granted }) => {
      const { ports, gate, variables, judgements } = cloud()
      const exercise = (exercises as Partial<Record<string, Record<string, { first?: Exercise; run: Exercise }>>>)[
        port
      ]?.[method]
      await exercise?.first?.(ports, gate)
      gate.calls.length = 0
      judgements.length = 0
      gate.answer = cloudAnswer

      await exercise?.run(ports, gate)

      const used = gate.calls.filter((call) => !unseen.has(call)).flatMap((call) => permissionsOf(call, variables))
      const objects = judgements.map((judgement) => objectPermission(judgement, variables))
      expect([...new Set([...used, ...objects])].sort()).toEqual(granted.flatMap(permissionsIn).sort())
    },
  )
})

/** The IAM permissions that a call needs, as `variable action`. */
function permissionsOf({ service, action, input }: CloudCall, variables: ReadonlyMap<string, string>): string[] {
  if (service === 'es') {
    const [method = ''] = action.toLowerCase().split(' ')
    return [`${searchDomains.cdr.variable} ESHttp${method.charAt(0).toUpperCase()}${method.slice(1)}`]
  }
  const on = (physical: unknown) => variables.get(String(physical)) ?? `unknown ${String(physical)}`
  if (action.startsWith('Transact')) {
    const parts = input['TransactItems'] as Record<string, { TableName: string }>[]
    return parts.flatMap((part) =>
      Object.entries(part).map(([kind, { TableName }]) =>
        kind === 'ConditionCheck' ? `${on(TableName)} ConditionCheckItem` : `${on(TableName)} ${kind}Item`,
      ),
    )
  }
  if (action.startsWith('BatchGet') || action.startsWith('BatchWrite')) {
    return Object.keys(Object(input['RequestItems'])).map((physical) => `${on(physical)} ${action}`)
  }
  if (action === 'SendMessageBatch' || action === 'SendMessage') return [`${on(input['QueueUrl'])} SendMessage`]
  if (action === 'DeleteMessageBatch') return [`${on(input['QueueUrl'])} DeleteMessage`]
  if (action === 'GetQueueAttributes') return [`${on(input['QueueUrl'])} ${action}`]
  if (action === 'GetSecretValue' || action === 'DescribeSecret') return [`${on(input['SecretId'])} ${action}`]
  if (action === 'Encrypt' || action === 'Decrypt') return [`${on(input['KeyId'])} ${action}`]
  return [`${on(input['TableName'])}${input['IndexName'] === undefined ? '' : ' index'} ${action}`]
}

/** The requests to the object store, in the same form. */
function objectPermission({ action, resource }: Judgement, variables: ReadonlyMap<string, string>): string {
  const [bucket = '', ...key] = resource.replace('arn:aws:s3:::', '').split('/')
  return `${variables.get(bucket)}${key.length > 0 ? ' objects' : ''} ${action.replace('s3:', '')}`
}

/** The permissions of a grant, in the same form. */
function permissionsIn(granted: Access): string[] {
  const on =
    'table' in granted
      ? `${tables[granted.table].variable}${granted.index === true ? ' index' : ''}`
      : 'queue' in granted
        ? queues[granted.queue].variable
        : 'secret' in granted
          ? secrets[granted.secret].variable
          : 'bucket' in granted
            ? `${buckets[granted.bucket].variable}${'whole' in granted ? '' : ' objects'}`
            : 'search' in granted
              ? searchDomains[granted.search].variable
              : keys[granted.key].variable
  return granted.actions.map((action) => `${on} ${action}`)
}
