import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { describe, expect, it } from 'vitest'
import { breadth } from '../support/breadth.ts'
import { type Placed, type Value } from './assembly.ts'
import { importedApi, integrationsOf } from './imported-api.ts'
import { adjustedApp, appWith, synthesize, usualApp } from './synthesized-app.ts'

const synthesized = usualApp()
const { assembly } = synthesized

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const limits = { resources: 500, outputs: 200, parameters: 200, templateBytes: 1_000_000, descriptionBytes: 1024 }

describe.each(assembly.stacks.map((stack) => [stack.name, stack] as const))('the stack %s', (_name, stack) => {
  it('the stack is within the limits of CloudFormation', () => {
    const { Resources, Outputs = {}, Parameters = {} } = stack.template

    expect(Object.keys(Resources).length).toBeLessThanOrEqual(limits.resources)
    expect(Object.keys(Outputs).length).toBeLessThanOrEqual(limits.outputs)
    expect(Object.keys(Parameters).length).toBeLessThanOrEqual(limits.parameters)
    expect(stack.bytes).toBeLessThanOrEqual(limits.templateBytes)
    expect(Buffer.byteLength(stack.template.Description ?? '')).toBeLessThanOrEqual(limits.descriptionBytes)
  })

  it('the stack states its purpose', () => {
    expect(stack.template.Description).toMatch(/^Callplane/)
  })
})

interface Statement {
  readonly Action: string | string[]
  readonly Resource: Value
}

/** Every statement of every identity policy, inside and outside of roles. */
function statementsOf({ Properties }: Placed): Statement[] {
  const inline = (Properties['Policies'] ?? []) as unknown as { PolicyDocument: { Statement: Statement[] } }[]
  const attached = Properties['PolicyDocument'] as unknown as { Statement: Statement[] } | undefined
  return [...inline.flatMap(({ PolicyDocument }) => PolicyDocument.Statement), ...(attached?.Statement ?? [])]
}

/** The functions of the stage's endpoints, which the gateway invokes. */
const endpoints = /:function:callplane-test_\*$/

/** Everything that lies in a bucket or a search domain: its names are not known beforehand. */
const insides = /^\w+\/\w+\.Arn\/\*$/

it('no role may do anything by a wildcard, except inside of a store, for the endpoints of a stage and for the one action without a resource', () => {
  const policies = [...assembly.ofType('AWS::IAM::Role'), ...assembly.ofType('AWS::IAM::Policy')]
  const statements = policies.flatMap((policy) =>
    statementsOf(policy).map(({ Action, Resource }) => ({ policy, Action, Resource })),
  )
  const isInside = (policy: Placed, resource: Value) => {
    const text = assembly.resolve(policy.stack, resource)
    return insides.test(text) || endpoints.test(text)
  }
  const loose = statements.filter(
    ({ policy, Action, Resource }) =>
      JSON.stringify(Action).includes('*') ||
      [Resource].flat().some((each) => JSON.stringify(each).includes('*') && !isInside(policy, each)),
  )

  expect(statements.length).toBeGreaterThan(50)
  expect(loose.map(({ Action }) => Action)).toEqual(['ecr:GetAuthorizationToken'])
})

it('no role has a managed policy', () => {
  for (const { Properties } of assembly.ofType('AWS::IAM::Role')) {
    expect(Properties).not.toHaveProperty('ManagedPolicyArns')
  }
})

/** `npm run check` judges the templates of the committed stages. */
const judgedStages = [
  {
    stores: 'a store of CDRs of one node',
    settings: { searchInstances: 1 },
    expected: { InstanceCount: 1, ZoneAwarenessEnabled: false, DedicatedMasterEnabled: false },
  },
  {
    stores: 'a store of CDRs of four nodes',
    settings: { searchInstances: 4 },
    expected: { InstanceCount: 4, ZoneAwarenessEnabled: true, DedicatedMasterCount: 3 },
  },
]

it.each(breadth([], judgedStages))(
  'the rule packs and the rules of CloudFormation find nothing in a stage with $stores',
  ({ settings, expected }) => {
    using judged = synthesize({ settings, isValidated: true })
    const report = JSON.parse(readFileSync(join(judged.folder, 'validation-report.json'), 'utf8'))

    // The warning that no alarm is mailed is no finding.
    const packs = report.pluginReports.filter(
      ({ pluginName }: { pluginName: string }) => pluginName !== 'Construct Annotations',
    )
    const { Properties } = judged.assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch')
    expect(packs).toEqual([])
    expect(Properties['ClusterConfig']).toMatchObject(expected)
  },
)

it('a finding of the rule packs fails the synthesis', () => {
  const addOpenBucket = () =>
    synthesize({
      change: (app) => {
        const stack = new Stack(app, 'Careless')
        return new Bucket(stack, 'Open')
      },
    })

  expect(addOpenBucket).toThrow(/server access logs disabled/)
})

const protectionOf = ({ folder }: typeof synthesized) => {
  const { artifacts } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  return ['CallplaneStateful', 'CallplaneSearch'].map((id) => artifacts[id].properties.terminationProtection ?? false)
}

it('termination protection of the stacks with data follows the setting, and is off in the first deployment', () => {
  const guarded = adjustedApp()

  expect(protectionOf(synthesized)).toEqual([false, false])
  expect(protectionOf(guarded)).toEqual([true, true])
})

it('the store of CDRs has a stack of its own', () => {
  expect(assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch').stack.name).toBe('CallplaneSearch')
})

it('the store of CDRs is deployed after the other stores, and none of them waits for it', () => {
  const { artifacts } = JSON.parse(readFileSync(join(synthesized.folder, 'manifest.json'), 'utf8'))

  expect(artifacts['CallplaneSearch'].dependencies).toContain('CallplaneStateful')
  expect(artifacts['CallplaneStateful'].dependencies).not.toContain('CallplaneSearch')
})

it('no stack exports a value, so that each can be changed independently', () => {
  for (const { name, template } of assembly.stacks) {
    expect(JSON.stringify(template), name).not.toMatch(/"Fn::ImportValue"|"Export"/)
  }
})

it('the outputs of stacks are few, and each has a description', () => {
  const outputs = assembly.stacks
    .filter(({ name }) => /^Callplane[A-Z][a-z]+$/.test(name))
    .flatMap(({ template }) => Object.entries(template.Outputs ?? {}))
    .filter(([name]) => !name.startsWith('PublishOutput'))

  expect(outputs.map(([name]) => name).toSorted()).toEqual([
    'CdrDomain',
    'CdrsDeadLetters',
    'CleanupsDeadLetters',
    'ClusterName',
    'CommandsDeadLetters',
    'CursorSecretArn',
    'DeliveriesDeadLetters',
    'EngineSecretArn',
    'ErasuresDeadLetters',
    'EventsDeadLetters',
    'ExportsDeadLetters',
    'PrepareSearchFunction',
    'PublicUrl',
    'RootSecretArn',
    'RouteTableIds',
    'ServiceName',
    'SocketSecretArn',
    'VpcId',
  ])
  for (const [name, output] of outputs) expect(output, name).toHaveProperty('Description')
})

it('two stages can share an account, since names of stacks, alarms, metrics and rules and tags contain the stage', () => {
  const other = appWith({ stage: 'other' })
  const namesIn = ({ folder, assembly: made }: typeof synthesized) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const stacks = Object.values<{ type: string; properties: { stackName: string; tags: object } }>(manifest.artifacts)
      .filter(({ type }) => type === 'aws:cloudformation:stack')
      .map(({ properties }) => properties)
    const named = (type: string, property: string) => made.ofType(type).map(({ Properties }) => Properties[property])
    return {
      tags: stacks.map(({ tags }) => tags),
      names: [
        ...stacks.map(({ stackName }) => stackName),
        ...named('AWS::CloudWatch::Alarm', 'AlarmName'),
        ...named('AWS::CloudWatch::InsightRule', 'RuleName'),
        ...named('AWS::CloudWatch::Alarm', 'Namespace').filter(
          (name) => typeof name === 'string' && name.startsWith('Callplane'),
        ),
        ...named('AWS::Lambda::Function', 'FunctionName').filter((name) => name !== undefined),
        importedApi(made).skeleton.info.title,
      ],
    }
  }

  const [one, two] = [namesIn(synthesized), namesIn(other)]

  expect(one.names.length).toBeGreaterThan(40)
  expect(one.names.filter((name) => two.names.includes(name))).toEqual([])
  expect(two.tags).toEqual(two.tags.map(() => ({ 'callplane:stage': 'other' })))
})

it('the dashboard shows the metrics of its stage', () => {
  const [dashboard] = assembly.ofType('AWS::CloudWatch::Dashboard')

  expect(JSON.stringify(dashboard?.Properties)).toContain('Callplane/test/Connector')
  expect(JSON.stringify(dashboard?.Properties)).not.toMatch(/Callplane\/(?:Connector|Cdr)|Token\[/)
})

it('no stack is bound to an account or region', () => {
  const manifest = JSON.parse(readFileSync(join(synthesized.folder, 'manifest.json'), 'utf8'))
  const environments = Object.values(manifest.artifacts as Record<string, { type: string; environment?: string }>)
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ environment }) => environment)

  expect(new Set(environments)).toEqual(new Set(['aws://unknown-account/unknown-region']))
  expect(manifest.missing ?? []).toEqual([])
})

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const gatewayLimits = { routes: 300, integrations: 300 }

it('the HTTP API has no more routes and integrations than a gateway allows', () => {
  const integrations = integrationsOf(assembly)

  expect(integrations.length).toBeGreaterThan(50)
  expect(integrations.length).toBeLessThanOrEqual(Math.min(gatewayLimits.routes, gatewayLimits.integrations))
})

/** Lower than CloudFormation's own limit, so that there is time to divide a stack. */
const most = { templates: 8, resources: 600, resourcesOfStack: 450 }

it('a stage has few templates and resources, and no stack comes near the limit', () => {
  const counts = assembly.stacks.map(({ template }) => Object.keys(template.Resources).length)

  expect(counts.length).toBeLessThanOrEqual(most.templates)
  expect(counts.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(most.resources)
  expect(Math.max(...counts)).toBeLessThanOrEqual(most.resourcesOfStack)
  expect(assembly.ofType('AWS::CloudFormation::Stack')).toEqual([])
})

it('a stack is updated after those to which it sends commands and messages', () => {
  const manifest = JSON.parse(readFileSync(join(synthesized.folder, 'manifest.json'), 'utf8'))
  const dependencies = (stack: string): string[] => manifest.artifacts[stack].dependencies

  expect(dependencies('CallplaneConnector')).toContain('CallplaneWorkers')
  expect(dependencies('CallplaneApi')).toContain('CallplaneConnector')
})

it('synthesis warns if no address gets alarms by mail, and not if there is one', () => {
  const warnings = (folder: string) => readFileSync(join(folder, 'validation-report.json'), 'utf8')
  const mailed = adjustedApp()

  expect(warnings(synthesized.folder)).toContain('No alarm is mailed: set alarmEmail')
  expect(warnings(mailed.folder)).not.toContain('No alarm is mailed')
})
