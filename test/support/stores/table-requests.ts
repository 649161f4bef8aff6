import { tables } from '../../../contracts/resources.ts'
import type { CloudCall } from './cloud-gate.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * The requests of a call to DynamoDB, one line for each table that it touches: the action and the table, whether a read
 * is consistent, and every condition, key condition, filter and change with the real names of the attributes. Values
 * stay placeholders: they differ from run to run.
 */
export function tableRequests(call: CloudCall, env: ReadonlyMap<string, string>): string[] {
  if (!call.service.startsWith('DynamoDB')) return []
  const { action, input } = call
  if (action.startsWith('Transact')) {
    const parts = input['TransactItems'] as Readonly<Record<string, Input>>[]
    return parts.flatMap((part) =>
      Object.entries(part).map(([kind, one]) => line(`${action} ${kind}`, one, { isConsistent: true, env })),
    )
  }
  if (action.startsWith('Batch')) {
    return Object.entries(input['RequestItems'] as Readonly<Record<string, Input | Input[]>>).flatMap(([table, of]) => {
      const kinds = Array.isArray(of) ? new Set(of.flatMap((one) => Object.keys(one))) : ['Get']
      const asked = Array.isArray(of) ? {} : of
      return [...kinds].map((kind) =>
        line(
          `${action} ${kind}`,
          { ...asked, TableName: table },
          { isConsistent: asked['ConsistentRead'] === true, env },
        ),
      )
    })
  }
  return [line(action, input, { isConsistent: input['ConsistentRead'] === true, env })]
}

const clauses = {
  KeyConditionExpression: 'where',
  FilterExpression: 'filter',
  UpdateExpression: 'do',
  ConditionExpression: 'if',
} as const

function line(
  action: string,
  asked: Input,
  { isConsistent, env }: { readonly isConsistent: boolean; readonly env: ReadonlyMap<string, string> },
): string {
  const names = Object.entries(Object(asked['ExpressionAttributeNames']) as Readonly<Record<string, string>>)
  const named = (expression: string) =>
    names.reduce((text, [name, real]) => text.replaceAll(new RegExp(`${name}(?!\\w)`, 'g'), real), expression)
  const isRead = /Get|Query|Scan/.test(action)
  return [
    action,
    tableOf(textIn(asked['TableName']), env),
    ...(asked['IndexName'] === undefined ? [] : [`by ${textIn(asked['IndexName'])}`]),
    ...(isRead ? [isConsistent ? 'consistent' : 'eventual'] : []),
    ...Object.entries(clauses).flatMap(([clause, word]) =>
      asked[clause] === undefined ? [] : [`${word} ${named(textIn(asked[clause]))}`],
    ),
  ].join(' ')
}

function tableOf(physical: string, env: ReadonlyMap<string, string>): string {
  const variable = env.get(physical)
  const [name] = Object.entries(tables).find(([, spec]) => spec.variable === variable) ?? ['unknown']
  return name
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error('names and expressions are text')
}
