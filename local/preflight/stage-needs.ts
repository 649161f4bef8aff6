import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

/** What a synthesized stage needs of its account and region, and of the machine that deploys it. */
export interface StageNeeds {
  readonly stage: string
  /** Those of the settings; absent: those of the credentials. */
  readonly account: string | undefined
  readonly region: string | undefined
  /**
   * The version of the bootstrap stack, the parameter that holds it, and regions; undefined: that of the credentials.
   */
  readonly bootstrap: { readonly version: number; readonly parameter: string; readonly regions: readonly Region[] }
  /** Concurrent functions: those reserved, and those that queues may start. */
  readonly reserved: number
  readonly fromQueues: number
  readonly quotas: readonly QuotaNeed[]
  readonly vpcs: number
  readonly searchInVpc: boolean
  readonly engines: { readonly hosts: readonly string[]; readonly networks: readonly string[] }
  /** Host names of engines that the deployment itself makes known to the connector. */
  readonly madeNames: readonly string[]
  /** The image of ECR that the connector runs; none: it is built. */
  readonly image: EcrImage | undefined
}

type Region = string | undefined

/** What a stage needs of one quota of AWS. */
export interface QuotaNeed {
  readonly service: string
  readonly code: string
  readonly what: string
  readonly count: number
}

/** An image of ECR, by its tag or its digest. */
export interface EcrImage {
  readonly registryId: string
  readonly repositoryName: string
  readonly imageTag?: string
  readonly imageDigest?: string
}

const stackOf = z.object({
  environment: z.string(),
  properties: z.object({
    templateFile: z.string(),
    tags: z.optional(z.record(z.string(), z.string())),
    requiresBootstrapStackVersion: z.optional(z.number()),
    bootstrapStackVersionSsmParameter: z.optional(z.string()),
  }),
})
const manifestOf = z.object({ artifacts: z.record(z.string(), z.unknown()) })
const templateOf = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z._default(z.unknown(), {}) })),
})

function listOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z._default(z.array(z.object(shape)), [])
}

/** Properties of the types of resources that needs are computed from. */
const propertiesOf = z.looseObject({
  ReservedConcurrentExecutions: z._default(z.number(), 0),
  ScalingConfig: z.optional(z.object({ MaximumConcurrency: z._default(z.number(), 0) })),
  DesiredCount: z._default(z.number(), 1),
  Cpu: z.optional(z.coerce.number()),
  ContainerDefinitions: listOf({ Image: z.unknown(), Environment: listOf({ Name: z.string(), Value: z.unknown() }) }),
  SecurityGroupEgress: listOf({ CidrIp: z.optional(z.string()), Description: z.optional(z.string()) }),
  ClusterConfig: z.optional(z.object({ InstanceCount: z._default(z.number(), 1) })),
})

/** Reads the needs of a stage from the folder of its assembly. */
export function readStageNeeds(folder: string): StageNeeds {
  const { artifacts } = z.parse(manifestOf, json(join(folder, 'manifest.json')))
  const stateful = z.parse(stackOf, artifacts['CallplaneStateful'])
  const stacks = Object.values(artifacts).flatMap((artifact) => z.safeParse(stackOf, artifact).data ?? [])
  const ofType = typesIn(folder)
  const [account, region] = placeOf(stateful.environment)
  const containers = ofType('AWS::ECS::TaskDefinition').flatMap(({ ContainerDefinitions }) => ContainerDefinitions)
  const variables = containers.flatMap(({ Environment }) => Environment)
  const urls = variables.find(({ Name }) => Name === 'ENGINE_URL')?.Value
  const rules = ofType('AWS::EC2::SecurityGroup').flatMap(({ SecurityGroupEgress }) => SecurityGroupEgress)
  return {
    stage: stateful.properties.tags?.['callplane:stage'] ?? '',
    account,
    region,
    bootstrap: {
      version: Math.max(...stacks.map(({ properties }) => properties.requiresBootstrapStackVersion ?? 0)),
      parameter: stateful.properties.bootstrapStackVersionSsmParameter ?? '',
      regions: [...new Set(stacks.map(({ environment }) => placeOf(environment)[1]))],
    },
    reserved: sum(ofType('AWS::Lambda::Function').map((each) => each.ReservedConcurrentExecutions)),
    fromQueues: sum(
      ofType('AWS::Lambda::EventSourceMapping').map(({ ScalingConfig }) => ScalingConfig?.MaximumConcurrency ?? 0),
    ),
    quotas: quotasOf(ofType, stacks.length).filter(({ count }) => count > 0),
    vpcs: ofType('AWS::EC2::VPC').length,
    searchInVpc: ofType('AWS::OpenSearchService::Domain').some((each) => 'VPCOptions' in each),
    engines: {
      hosts: typeof urls === 'string' ? urls.split(',').map((url) => new URL(url).hostname) : [],
      networks: rules
        .filter(({ Description }) => Description === 'event socket of the engine')
        .flatMap(({ CidrIp }) => CidrIp ?? []),
    },
    madeNames: ofType('AWS::Route53::RecordSet').flatMap(({ Name }) =>
      typeof Name === 'string' ? [Name.replace(/\.$/, '')] : [],
    ),
    image: containers.map(({ Image }) => imageOf(Image)).find((image) => image !== undefined),
  }
}

/** Returns the account and the region of an environment of the CDK, each if it is known. */
function placeOf(environment: string): (string | undefined)[] {
  const parts = /^aws:\/\/([^/]+)\/(.+)$/.exec(environment)?.slice(1) ?? []
  return parts.map((part) => (part.startsWith('unknown') ? undefined : part))
}

type Resources = (type: string) => readonly z.infer<typeof propertiesOf>[]

function typesIn(folder: string): Resources {
  const resources = readdirSync(folder)
    .filter((file) => file.endsWith('.template.json'))
    .flatMap((file) => Object.values(z.parse(templateOf, json(join(folder, file))).Resources))
  return (type) =>
    resources.filter(({ Type }) => Type === type).map(({ Properties }) => z.parse(propertiesOf, Properties))
}

function quotasOf(ofType: Resources, stacks: number): QuotaNeed[] {
  const need = (service: string, code: string, what: string, count: number) => ({ service, code, what, count })
  const processors = sum(ofType('AWS::ECS::TaskDefinition').map(({ Cpu = 0 }) => Cpu / 1024))
  const tasks = sum(ofType('AWS::ECS::Service').map(({ DesiredCount }) => DesiredCount))
  const interfaces = ofType('AWS::EC2::VPCEndpoint').filter((each) => each['VpcEndpointType'] === 'Interface')
  const nodes = ofType('AWS::OpenSearchService::Domain').map(({ ClusterConfig }) => ClusterConfig?.InstanceCount ?? 1)
  return [
    // A deployment runs the new connectors beside the old ones.
    need('fargate', 'L-3032A538', 'vCPU of Fargate, those of other tasks not counted', 2 * processors * tasks),
    need('cloudformation', 'L-0485CB21', 'stacks, those of others not counted', stacks),
    need('iam', 'L-FE177D64', 'roles, those of others not counted', ofType('AWS::IAM::Role').length),
    need('vpc', 'L-29B6F2EB', 'interface endpoints in a VPC', interfaces.length),
    need('es', 'L-6408ABDE', 'nodes in a domain of OpenSearch', Math.max(0, ...nodes)),
  ]
}

/** An image that the deployment builds is of the repository of the bootstrap stack, if its place is known already. */
function imageOf(image: unknown): EcrImage | undefined {
  const form = /(\d{12})\.dkr\.ecr\.[^/]*\/([\w./-]+)([:@])([\w.:-]+)/
  const [, registryId, repositoryName, mark, version] = form.exec(JSON.stringify(image)) ?? []
  if (registryId === undefined || repositoryName === undefined || version === undefined) return undefined
  if (/^cdk-\w+-container-assets-/.test(repositoryName)) return undefined
  return { registryId, repositoryName, ...(mark === '@' ? { imageDigest: version } : { imageTag: version }) }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function json(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
