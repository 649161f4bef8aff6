import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { expect, it } from 'vitest'
import { accessOf } from '../../contracts/access/access.ts'
import { preparations } from '../../contracts/preparations.ts'
import { routes } from '../../contracts/routes/index.ts'
import { needsOf } from '../../contracts/routes/route.ts'
import { schedules } from '../../contracts/schedules.ts'
import { workers } from '../../contracts/workers.ts'
import { SearchNetwork } from '../../lib/constructs/search-network.ts'
import { ZonedStack } from '../../lib/constructs/zoned-stack.ts'
import { readSettings } from '../../lib/settings.ts'
import { appWith, usualApp } from './synthesized-app.ts'

const given = {
  account: '123456789012',
  region: 'eu-central-1',
  tags: { owner: 'voice', 'cost-center': '4711' },
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b',
  searchAccess: 'vpc',
  searchInstances: 3,
  tracing: 'on',
}
const synthesized = appWith(given)
const { assembly } = synthesized
const settingsFrom = (changed: Record<string, unknown>) =>
  readSettings({ stage: 'test', engineHost: 'engine.example.internal', ...given, ...changed })

const domain = () => assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch')

it('a stage with account and region is bound to them, and its synthesis asks AWS for nothing', () => {
  const manifest = JSON.parse(readFileSync(join(synthesized.folder, 'manifest.json'), 'utf8'))
  const stacks = Object.values(manifest.artifacts as Record<string, { type: string; environment?: string }>).filter(
    ({ type }) => type === 'aws:cloudformation:stack',
  )

  expect(new Set(stacks.map(({ environment }) => environment))).toEqual(new Set(['aws://123456789012/eu-central-1']))
  expect(manifest.missing ?? []).toEqual([])
})

it('the tags of a stage are those of its stacks, and tasks have the tags of their service', () => {
  const manifest = JSON.parse(readFileSync(join(synthesized.folder, 'manifest.json'), 'utf8'))
  const stacks = Object.values(manifest.artifacts as Record<string, { type: string; properties: { tags: object } }>)
  const stack = stacks.find(({ type }) => type === 'aws:cloudformation:stack')

  expect(stack?.properties.tags).toEqual({ 'callplane:stage': 'test', 'cost-center': '4711', owner: 'voice' })
  expect(assembly.one('AWS::ECS::Service', 'Connector').Properties['PropagateTags']).toBe('SERVICE')
})

it.each([
  { tags: '{"aws:owner":"x"}' },
  { tags: '{"callplane:stage":"x"}' },
  { tags: '{"owner":5}' },
  { tags: '{"owner":"a|b"}' },
])('the tags %j are refused', (changed) => {
  expect(() => settingsFrom(changed)).toThrow(/^setting tags must be /)
})

it('a domain name leads to the API, is its public address, and is told with the name to point it at', () => {
  const [name] = assembly.ofType('AWS::ApiGatewayV2::DomainName')
  const [mapping] = assembly.ofType('AWS::ApiGatewayV2::ApiMapping')
  const stage = assembly.one('AWS::ApiGatewayV2::Stage', 'Stage')
  const outputs = Object.assign({}, ...assembly.stacks.map(({ template }) => template.Outputs ?? {}))

  expect(name?.Properties).toMatchObject({
    DomainName: 'api.example.com',
    DomainNameConfigurations: [{ CertificateArn: given.certificateArn, SecurityPolicy: 'TLS_1_2' }],
  })
  expect(mapping?.Properties).toMatchObject({ Stage: stage.Properties['StageName'] })
  expect(mapping?.DependsOn).toContain(stage.id)
  expect(outputs['PublicUrl'].Value).toBe('https://api.example.com')
  expect(Object.keys(outputs)).toEqual(expect.arrayContaining(['DomainTarget', 'DomainTargetZone']))
})

it.each([
  [{ certificateArn: '' }, 'setting certificateArn must be given with domainName'],
  [{ domainName: '' }, 'setting domainName must be given with certificateArn'],
  [{ region: 'eu-west-1' }, 'setting certificateArn must be a certificate in the region of the stage'],
  [{ domainName: 'api' }, 'setting domainName must be a name such as api.example.com'],
])('a domain name with %j is refused', (changed, problem) => {
  expect(() => settingsFrom(changed)).toThrow(problem)
})

it('publicUrl with another name than domainName is refused, because callers would be told the wrong one', () => {
  expect(() => settingsFrom({ publicUrl: 'https://front.example.com' })).toThrow(
    /^setting publicUrl must be https:\/\/ and the name of domainName, or left out/,
  )
  expect(settingsFrom({ publicUrl: 'https://api.example.com' }).publicUrl).toBe('https://api.example.com')
})

it('three nodes of the store of CDRs are in three zones', () => {
  expect(domain().Properties['ClusterConfig']).toMatchObject({
    InstanceCount: 3,
    DedicatedMasterEnabled: false,
    ZoneAwarenessEnabled: true,
    ZoneAwarenessConfig: { AvailabilityZoneCount: 3 },
  })
  expect(domain().Properties['VPCOptions']).toMatchObject({ SubnetIds: [{}, {}, {}].map(() => expect.anything()) })
})

const clusterOf = (settings: Record<string, unknown>) =>
  appWith({ ...settings, searchVolumeGb: 100 }).assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch').Properties[
    'ClusterConfig'
  ]

it('six nodes are in three zones, with three managers of a size that suits their number', () => {
  expect(clusterOf({ searchInstances: 6, searchInstanceType: 'r7g.large.search' })).toMatchObject({
    InstanceCount: 6,
    DedicatedMasterCount: 3,
    DedicatedMasterType: 'm7g.large.search',
    ZoneAwarenessConfig: { AvailabilityZoneCount: 3 },
  })
})

it('nodes that cannot manage a domain are refused where there would be no managers', () => {
  const small = { searchAccess: 'public', searchInstanceType: 'or1.medium.search', searchInstances: 2 }

  expect(() => settingsFrom(small)).toThrow('setting searchInstances must be 4 at least with or1.medium.search')
  expect(settingsFrom({ ...small, searchInstances: 4 }).search.instances).toBe(4)
})

it.each(['0', '5', '7', '81', '1e1', '02', ' 2'])('"%s" nodes are refused', (searchInstances) => {
  expect(() => settingsFrom({ searchInstances })).toThrow(
    'setting searchInstances must be 1, or a multiple of 2 or 3 up to 80',
  )
})

it('exactly the functions that search join the network of the store, and only they may connect to it', () => {
  const searching = [
    ...routes.map((route) => ({ name: route.operationId, needs: needsOf(route) })),
    ...workers,
    ...schedules,
    ...preparations,
  ].filter(({ needs }) => accessOf(needs).some((granted) => 'search' in granted))
  const inside = assembly.ofType('AWS::Lambda::Function').filter(({ Properties }) => 'VpcConfig' in Properties)
  const declared = inside.map(
    ({ Metadata }) => (Metadata?.['callplane'] as { declaration: string } | undefined)?.declaration,
  )
  const client = assembly.one('AWS::EC2::SecurityGroup', 'SearchNetworkClients')
  const own = assembly.one('AWS::EC2::SecurityGroup', 'SearchNetworkDomain')
  const rules = assembly
    .ofType('AWS::EC2::SecurityGroupIngress')
    .filter(({ stack }) => stack.name === 'CallplaneSearch')

  expect(new Set(declared)).toEqual(new Set(searching.map(({ name }) => name)))
  expect(inside.length).toBeGreaterThan(5)
  expect(own.Properties).not.toHaveProperty('SecurityGroupIngress')
  const intoDomain = rules.filter(
    ({ stack, Properties }) => assembly.resolve(stack, Properties['GroupId']) === `${own.stack.name}/${own.id}.GroupId`,
  )
  expect(intoDomain).toHaveLength(1)
  expect(intoDomain[0]?.Properties).toMatchObject({ FromPort: 443, ToPort: 443, IpProtocol: 'tcp' })
  const [{ stack, Properties }] = intoDomain as [(typeof intoDomain)[0]]
  expect(assembly.resolve(stack, Properties['SourceSecurityGroupId'])).toBe(`${client.stack.name}/${client.id}.GroupId`)
})

it('the network of the store has an endpoint for each service that the functions in it use', () => {
  const searching = [
    ...routes.map((route) => needsOf(route)),
    ...[...workers, ...schedules, ...preparations].map(({ needs }) => needs),
  ]
    .map((needs) => accessOf(needs))
    .filter((granted) => granted.some((each) => 'search' in each))
    .flat()
  const services: Readonly<Record<string, string>> = {
    table: 'dynamodb',
    queue: 'sqs',
    secret: 'secretsmanager',
    bucket: 's3',
  }
  const kinds = new Set(
    searching.flatMap((granted) => Object.keys(granted).filter((key) => key in services || key === 'key')),
  )
  const endpoints = assembly
    .ofType('AWS::EC2::VPCEndpoint')
    .filter(({ stack }) => stack.name === 'CallplaneSearch')
    .map(({ stack, Properties }) => assembly.resolve(stack, Properties['ServiceName']).split('.').at(-1))

  expect(new Set(endpoints)).toEqual(new Set([...kinds].map((kind) => services[kind])))
})

it('a store that is taken up is not moved into a network', () => {
  const cdr = `https://search-cdr-${'a1'.repeat(13)}.eu-central-1.es.amazonaws.com`

  expect(() => settingsFrom({ existingStores: { searchDomains: { cdr } } })).toThrow(
    /^setting searchAccess must be public/,
  )
})

it('a store that moves into a network or out of it is another one, and so is the call that prepares it', () => {
  const usual = usualApp().assembly
  const preparationOf = (made: typeof assembly) => made.one('Custom::Preparation', 'PrepareSearch').id
  const logsOf = (made: typeof assembly) =>
    made.ofType('AWS::Logs::LogGroup').flatMap(({ id }) => (id.startsWith('CdrSearch') ? [id] : []))

  // The service refuses the change in place, and CloudFormation would ask for it.
  expect(usual.one('AWS::OpenSearchService::Domain', 'CdrSearch').id).not.toBe(domain().id)
  // An empty store that cannot be prepared fails its deployment only as a creation.
  expect(preparationOf(usual)).not.toBe(preparationOf(assembly))
  // Their names are fixed: others could not be made while the former ones are there.
  expect(logsOf(usual)).toHaveLength(3)
  expect(logsOf(usual)).toEqual(logsOf(assembly))
})

it('a zone more leaves the subnets of the other zones as they are', () => {
  const [one, two, three] = [1, 2, 3].map((zones) => {
    const stack = new ZonedStack(new App({ builtinCloudFormationValidation: false }), 'Stack')
    const buckets = [Bucket.fromBucketName(stack, 'Bucket', 'recordings')]
    const { vpc } = new SearchNetwork(stack, 'Network', { zones, buckets })
    const subnets = Template.fromStack(vpc.stack).findResources('AWS::EC2::Subnet')
    return Object.entries(subnets).map(([id, { Properties }]) => [id, Properties['CidrBlock']])
  })

  expect(three).toHaveLength(3)
  expect(two).toEqual(three?.slice(0, 2))
  expect(one).toEqual(three?.slice(0, 1))
})
