import * as z from 'zod/mini'
import type { Role, Statement } from './assembly.ts'
import type { Resource } from './stack.ts'
import { arnOf } from './read-stores.ts'

const oneOrMore = z.union([z.string(), z.array(z.string())])

const conditionValue = z.union([
  z.string(),
  z.boolean(),
  z.number(),
  z.array(z.union([z.string(), z.boolean(), z.number()])),
])

const statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: z.optional(oneOrMore),
  NotAction: z.optional(oneOrMore),
  Resource: z.optional(oneOrMore),
  NotResource: z.optional(oneOrMore),
  Condition: z.optional(z.record(z.string(), z.record(z.string(), conditionValue))),
})

const policyDocument = z.object({ Statement: z.union([statement, z.array(statement)]) })

const attachedPolicy = z.object({ PolicyDocument: policyDocument, Roles: z.optional(z.array(z.string())) })

const roleProperties = z.object({
  Policies: z.optional(z.array(z.object({ PolicyDocument: policyDocument }))),
  ManagedPolicyArns: z.optional(z.array(z.string())),
})

/**
 * Returns every role with all that its policies say: inline, attached by `AWS::IAM::Policy`, or customer-managed. What
 * AWS's own managed policies allow is not known here and so is denied; those that Lambda needs itself reach no store.
 */
export function readRoles(resources: readonly Resource[]): Role[] {
  const managed = new Map<string, Statement[]>()
  const attached = new Map<string, Statement[]>()
  for (const resource of resources) {
    if (resource.type !== 'AWS::IAM::Policy' && resource.type !== 'AWS::IAM::ManagedPolicy') continue
    const { PolicyDocument, Roles } = z.parse(attachedPolicy, resource.properties())
    const statements = readStatements(PolicyDocument)
    if (resource.type === 'AWS::IAM::ManagedPolicy') managed.set(resource.identity.ref, statements)
    for (const role of Roles ?? []) attached.set(role, [...(attached.get(role) ?? []), ...statements])
  }
  return resources
    .filter(({ type }) => type === 'AWS::IAM::Role')
    .map((resource) => {
      const { Policies, ManagedPolicyArns } = z.parse(roleProperties, {
        Policies: resource.property('Policies'),
        ManagedPolicyArns: resource.property('ManagedPolicyArns'),
      })
      return {
        name: resource.identity.ref,
        arn: arnOf(resource),
        statements: [
          ...(Policies ?? []).flatMap(({ PolicyDocument }) => readStatements(PolicyDocument)),
          ...(attached.get(resource.identity.ref) ?? []),
          ...(ManagedPolicyArns ?? []).flatMap((policyArn) => managed.get(policyArn) ?? []),
        ],
      }
    })
}

/** Returns the statements of a policy document. Throws when it is not of the form that IAM takes. */
export function readStatements(document: unknown): Statement[] {
  const { Statement } = z.parse(policyDocument, document)
  return listOf(Statement).map((parsed) => ({
    effect: parsed.Effect,
    actions: listOf(parsed.Action ?? parsed.NotAction ?? []),
    exceptActions: parsed.NotAction !== undefined,
    resources: listOf(parsed.Resource ?? parsed.NotResource ?? []),
    exceptResources: parsed.NotResource !== undefined,
    conditions: Object.fromEntries(
      Object.entries(parsed.Condition ?? {}).map(([operator, keys]) => [
        operator,
        Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, listOf(values).map(String)])),
      ]),
    ),
  }))
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return isList(value) ? value : [value]
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}
