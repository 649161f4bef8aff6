import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

/** What a synthesized stage needs of its account and region, and of the machine that deploys it. */
export interface StageNeeds {
  readonly stage: string
  /** Those of the settings; absent: those of the credentials. */
  readonly account: string | undefined
  readonly region: string | undefined
  /** The version of the bootstrap stack, and the parameter that holds it. */
  readonly bootstrap: { readonly version: number; readonly parameter: string }
  /** Concurrent functions: those reserved, and those that queues may start. */
  readonly reserved: number
  readonly fromQueues: number
  /** Processors of the connectors during a deployment, which runs the new ones beside the old ones. */
  readonly vcpus: number
  readonly vpcs: number
  readonly searchInVpc: boolean
  readonly engines: { readonly hosts: readonly string[]; readonly networks: readonly string[] }
  /** Host names of engines that the deployment itself makes known to the connector. */
  readonly madeNames: readonly string[]
  /** The image of ECR that the connector runs; none: it is built. */
  readonly image: EcrImage | undefined
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
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.optional(z.record(z.string(), z.unknown())) }),
  ),
})

const mapping = z.object({ ScalingConfig: z.optional(z.object({ MaximumConcurrency: z._default(z.number(), 0) })) })
const reserving = z.object({ ReservedConcurrentExecutions: z._default(z.number(), 0) })
const service = z.object({ DesiredCount: z._default(z.number(), 1) })
const task = z.object({
  Cpu: z.coerce.number(),
  ContainerDefinitions: z.array(
    z.object({
      Image: z.unknown(),
      Environment: z._default(z.array(z.object({ Name: z.string(), Value: z.unknown() })), []),
    }),
  ),
})
const group = z.object({
  SecurityGroupEgress: z._default(
    z.array(z.object({ CidrIp: z.optional(z.string()), Description: z.optional(z.string()) })),
    [],
  ),
})

/** Reads the needs of a stage from the folder of its assembly. */
export function readStageNeeds(folder: string): StageNeeds {
  const { artifacts } = z.parse(manifestOf, json(join(folder, 'manifest.json')))
  const stacks = Object.values(artifacts).flatMap((artifact) => z.safeParse(stackOf, artifact).data ?? [])
  const resources = readdirSync(folder)
    .filter((file) => file.endsWith('.template.json'))
    .flatMap((file) => Object.values(z.parse(templateOf, json(join(folder, file))).Resources))
  const ofType = (type: string) =>
    resources.filter(({ Type }) => Type === type).map(({ Properties = {} }) => Properties)
  const [, account = '', region = ''] = /^aws:\/\/([^/]+)\/(.+)$/.exec(stacks[0]?.environment ?? '') ?? []
  const tasks = ofType('AWS::ECS::TaskDefinition').map((each) => z.parse(task, each))
  const containers = tasks.flatMap(({ ContainerDefinitions }) => ContainerDefinitions)
  const variables = containers.flatMap(({ Environment }) => Environment)
  const urls = variables.find(({ Name }) => Name === 'ENGINE_URL')?.Value
  const rules = ofType('AWS::EC2::SecurityGroup').flatMap((each) => z.parse(group, each).SecurityGroupEgress)
  return {
    stage: stacks[0]?.properties.tags?.['callplane:stage'] ?? '',
    account: account.startsWith('unknown') ? undefined : account,
    region: region.startsWith('unknown') ? undefined : region,
    bootstrap: {
      version: Math.max(...stacks.map(({ properties }) => properties.requiresBootstrapStackVersion ?? 0)),
      parameter: stacks[0]?.properties.bootstrapStackVersionSsmParameter ?? '',
    },
    reserved: sum(ofType('AWS::Lambda::Function').map((each) => z.parse(reserving, each).ReservedConcurrentExecutions)),
    fromQueues: sum(
      ofType('AWS::Lambda::EventSourceMapping').map(
        (each) => z.parse(mapping, each).ScalingConfig?.MaximumConcurrency ?? 0,
      ),
    ),
    vcpus:
      2 *
      sum(tasks.map(({ Cpu }) => Cpu / 1024)) *
      sum(ofType('AWS::ECS::Service').map((each) => z.parse(service, each).DesiredCount)),
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
