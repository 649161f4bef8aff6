import { resolve } from 'node:path'
import * as z from 'zod/mini'
import type { Assembly, Container, EventSourceMapping, LambdaFunction, Preparation, Schedule } from './assembly.ts'
import type { Assets } from './assets.ts'
import type { Place } from './place.ts'
import { readRoles } from './read-roles.ts'
import { readCrossOrigin, readRoutes } from './read-routes.ts'
import { readStacks } from './read-stacks.ts'
import { arnOf, readBucket, readKey, readQueue, readSecret, readTable } from './read-stores.ts'
import type { Resource } from './stack.ts'

const functionProperties = z.object({
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  Role: z.string(),
  Timeout: z._default(z.number(), 3),
  MemorySize: z._default(z.number(), 128),
  Environment: z.optional(z.object({ Variables: z.optional(z.record(z.string(), z.coerce.string())) })),
})

const mappingProperties = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z._default(z.number(), 10),
  MaximumBatchingWindowInSeconds: z._default(z.number(), 0),
  FunctionResponseTypes: z._default(z.array(z.string()), []),
  ScalingConfig: z.optional(z.object({ MaximumConcurrency: z.optional(z.number()) })),
})

/** Rules that wait for events, and times of other forms, have no use on a laptop yet: they are refused. */
const ruleProperties = z.object({
  ScheduleExpression: z.string().check(z.regex(/^rate\([1-9]\d* (?:minute|hour|day)s?\)$/)),
  Targets: z.array(z.object({ Arn: z.string() })),
})

const nameAndValue = z.object({ Name: z.string(), Value: z.coerce.string() })

const taskProperties = z.object({
  TaskRoleArn: z.string(),
  ContainerDefinitions: z.array(
    z.object({
      Name: z.string(),
      Image: z.string(),
      Environment: z._default(z.array(nameAndValue), []),
      Secrets: z._default(z.array(z.object({ Name: z.string(), ValueFrom: z.string() })), []),
    }),
  ),
})

/** Reads an assembly's folder into the description that the local platform runs. Throws one sentence about a defect. */
export function readAssembly(directory: string, place: Place): Assembly {
  const { stacks, assets } = readStacks(resolve(directory), place)
  const resources = stacks.flatMap((stack) => stack.resources())
  const ofType = (...types: string[]) => resources.filter(({ type }) => types.includes(type))
  const functions = ofType('AWS::Lambda::Function').flatMap((resource) => readFunction(resource, assets))
  const roles = readRoles(resources)
  const targets = { roles, functionOf: (address: string) => functionOf(address, functions) }
  return {
    tables: ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(readTable),
    queues: ofType('AWS::SQS::Queue').map(readQueue),
    buckets: ofType('AWS::S3::Bucket').map(readBucket),
    secrets: ofType('AWS::SecretsManager::Secret').map(readSecret),
    keys: ofType('AWS::KMS::Key').map(readKey),
    searchDomains: ofType('AWS::OpenSearchService::Domain').map((resource) => ({ arn: arnOf(resource) })),
    roles,
    functions,
    routes: stacks.flatMap((stack) => readRoutes(stack.resources(), targets)),
    crossOrigin: ofType('AWS::ApiGatewayV2::Api').map(readCrossOrigin)[0],
    mappings: ofType('AWS::Lambda::EventSourceMapping').map((resource) => readMapping(resource, functions)),
    schedules: ofType('AWS::Events::Rule').flatMap((resource) => readSchedules(resource, functions)),
    preparations: ofType('Custom::Preparation').map((resource) => readPreparation(resource, functions)),
    containers: ofType('AWS::ECS::TaskDefinition').flatMap((resource) => readContainers(resource, assets)),
  }
}

/** A function whose code is an asset; code written into the template belongs to the CDK's own custom resources. */
function readFunction(resource: Resource, assets: Assets): LambdaFunction[] {
  const parsed = z.safeParse(functionProperties, resource.properties())
  if (!parsed.success) return []
  const { Code, Handler, Role, Timeout, MemorySize, Environment } = parsed.data
  return [
    {
      name: resource.identity.ref,
      arn: arnOf(resource),
      roleArn: Role,
      directory: assets.file(Code.S3Key),
      handler: Handler,
      environment: Environment?.Variables ?? {},
      timeoutSeconds: Timeout,
      memoryMb: MemorySize,
    },
  ]
}

function readMapping(resource: Resource, functions: readonly LambdaFunction[]): EventSourceMapping {
  const parsed = z.parse(mappingProperties, resource.properties())
  return {
    queueArn: parsed.EventSourceArn,
    functionArn: functionOf(parsed.FunctionName, functions).arn,
    batchSize: parsed.BatchSize,
    batchWindowSeconds: parsed.MaximumBatchingWindowInSeconds,
    reportsFailures: parsed.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    maximumConcurrency: parsed.ScalingConfig?.MaximumConcurrency,
  }
}

function readSchedules(resource: Resource, functions: readonly LambdaFunction[]): Schedule[] {
  const { ScheduleExpression, Targets } = z.parse(ruleProperties, resource.properties())
  const [, count, unit = ''] = /(\d+) (minute|hour|day)/.exec(ScheduleExpression) ?? []
  const everyMs = Number(count) * (unitMs[unit] ?? Number.NaN)
  return Targets.map(({ Arn }) => ({ functionArn: functionOf(Arn, functions).arn, everyMs }))
}

function readPreparation(resource: Resource, functions: readonly LambdaFunction[]): Preparation {
  const { ServiceToken } = z.parse(z.object({ ServiceToken: z.string() }), resource.properties())
  return { functionArn: functionOf(ServiceToken, functions).arn }
}

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

function functionOf(address: string, functions: readonly LambdaFunction[]): LambdaFunction {
  const found = functions.find(({ name, arn }) => address === name || address === arn || address.includes(`${arn}/`))
  if (found === undefined) throw new Error(`the assembly names a function that is not in it: ${address}`)
  return found
}

function readContainers(resource: Resource, assets: Assets): Container[] {
  const { TaskRoleArn, ContainerDefinitions } = z.parse(taskProperties, {
    TaskRoleArn: resource.property('TaskRoleArn'),
    ContainerDefinitions: resource.property('ContainerDefinitions'),
  })
  return ContainerDefinitions.map(({ Name, Image, Environment, Secrets }) => ({
    name: Name,
    roleArn: TaskRoleArn,
    directory: assets.image(Image.slice(Image.lastIndexOf(':') + 1)),
    environment: Object.fromEntries(Environment.map((variable) => [variable.Name, variable.Value])),
    secrets: Object.fromEntries(Secrets.map((secret) => [secret.Name, secret.ValueFrom])),
  }))
}
