import { type App, Aws, Stack, type StackProps, Validations } from 'aws-cdk-lib'
import { Domain, type IDomain } from 'aws-cdk-lib/aws-opensearchservice'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { buckets as declaredBuckets, replicatedBucket, searchDomains } from '../../contracts/resources.ts'
import { environment } from '../../contracts/environment.ts'
import { ApiDomain } from '../constructs/api-domain.ts'
import { ObjectBucket } from '../constructs/object-bucket.ts'
import { type Resources, constructId, eachOf } from '../constructs/resources.ts'
import { SearchDomain, zonesOf } from '../constructs/search-domain.ts'
import { SearchNetwork } from '../constructs/search-network.ts'
import { keepLogs } from '../constructs/log-retention.ts'
import { setStage, staged } from '../constructs/stage.ts'
import { ZonedStack } from '../constructs/zoned-stack.ts'
import type { Build } from '../handlers.ts'
import { RulePack } from '../rule-pack.ts'
import type { Settings } from '../settings.ts'
import { ApiStack } from './api-stack.ts'
import { ConnectorStack } from './connector-stack.ts'
import { MonitoringStack } from './monitoring-stack.ts'
import { StatefulStack, type StatefulStackProps } from './stateful-stack.ts'
import { WorkersStack } from './workers-stack.ts'

/** The parts of a deployment in addition to the contracts. */
export interface CallplaneProps {
  readonly settings: Settings
  readonly build: Build
  readonly version: string
}

/** Adds the platform to an app. Synthesis fails on any finding of the rule pack without a documented reason. */
export function addCallplane(app: App, { settings, build, version }: CallplaneProps): void {
  setStage(app, settings.stage)
  keepLogs(app, settings.logDays)
  /** Construct ids name no stage: they name tables on a laptop, and a change of them would replace resources. */
  const stackProps = (id: string, description: string): StackProps => ({
    stackName: staged(app, id, '-'),
    description: `Callplane: ${description}`,
    tags: { ...settings.tags, 'callplane:stage': settings.stage },
    env: settings.env,
  })
  const stateful = new StatefulStack(app, 'CallplaneStateful', {
    ...stackProps('CallplaneStateful', 'what must outlive a deployment'),
    terminationProtection: settings.terminationProtection,
    alarmEmail: settings.alarmEmail,
    watchesQueues: settings.monitoring === 'full',
    allowedOrigins: settings.allowedOrigins,
    existing: settings.existing,
    replica: replicaOf(settings),
  })
  addCopies(stateful, settings, stackProps('CallplaneReplica', 'the copies of recordings'))
  const searchStack = searchStackOf(stateful, settings, stackProps('CallplaneSearch', 'the store of CDRs'))
  const { tables, queues, secrets, keys, buckets } = stateful
  const searchNetwork = searchNetworkOf(searchStack, settings, Object.values(buckets))
  const resources: Resources = {
    tables,
    queues,
    secrets,
    keys,
    buckets,
    searchNetwork,
    searchDomains: searchDomainsOf(searchStack, settings, searchNetwork),
  }
  const functions = {
    build,
    resources,
    isTraced: settings.tracing,
    environment: { ...settings.environment, [environment.buildVersion]: version },
  }
  const apiStack = new ApiStack(app, 'CallplaneApi', {
    ...stackProps('CallplaneApi', 'the management API'),
    publicUrl: settings.publicUrl,
    allowedOrigins: settings.allowedOrigins,
    rateLimits: settings.rateLimits,
    requestsPerSecond: settings.requestsPerSecond,
    engineConcurrency: settings.engineConcurrency,
    ...functions,
  })
  addDomain(apiStack, settings)
  const workers = new WorkersStack(app, 'CallplaneWorkers', {
    ...stackProps('CallplaneWorkers', 'the functions that queues and schedules call'),
    ...functions,
  })
  const connectorStack = new ConnectorStack(app, 'CallplaneConnector', {
    ...stackProps('CallplaneConnector', 'the link to the engine'),
    settings,
    ...functions,
  })
  // Each part is changed before those that send it commands or messages, so it knows new ones before they come.
  connectorStack.addStackDependency(workers)
  apiStack.addStackDependency(connectorStack)
  if (settings.monitoring === 'full') {
    new MonitoringStack(app, 'CallplaneMonitoring', {
      ...stackProps('CallplaneMonitoring', 'alarms and dashboard'),
      api: apiStack.api,
      canary: settings.canary ? { ...functions, url: settings.publicUrl || apiStack.api.apiEndpoint } : undefined,
      connector: connectorStack.connector.service,
      connectorTasks: settings.connectorTasks,
      concurrencyQuota: settings.concurrencyQuota,
      workers,
      queues,
      searchDomains: resources.searchDomains,
      search: settings.search,
    })
  }
  Validations.of(app).addPlugins(new RulePack(app))
}

/**
 * Returns the bucket of the copies by a name that is known before its stack is deployed, of 62 characters at most. It
 * names both regions, because stages in several regions may have the same name and the same region of replicas.
 */
function replicaOf({ stage, env, replicaRegion: region }: Settings): StatefulStackProps['replica'] {
  if (region === '' || env.region === undefined) return undefined
  return { region, bucketName: `${stage}-${Aws.ACCOUNT_ID}-${env.region}-to-${region}` }
}

/** Adds the stack of the bucket that recordings are copied to, in the other region, if the stage has one. */
function addCopies(stateful: StatefulStack, settings: Settings, props: StackProps): void {
  const replica = replicaOf(settings)
  if (replica === undefined) return
  const { terminationProtection, allowedOrigins } = settings
  const { root } = stateful.node
  const stack = new Stack(root, 'CallplaneReplica', {
    ...props,
    stackName: `${props.stackName}-${settings.env.region}`,
    terminationProtection,
    env: { ...props.env, region: replica.region },
  })
  const spec = declaredBuckets[replicatedBucket]
  new ObjectBucket(stack, 'Copies', { spec, allowedOrigins, name: replica.bucketName })
  stateful.addStackDependency(stack)
}

/** Makes the stack of the search domains. Returns the one of the other stores if every domain exists already. */
function searchStackOf(stateful: StatefulStack, settings: Settings, props: StackProps): Stack {
  const makesNoDomain = Object.keys(searchDomains).every((name) => name in settings.existing.searchDomains)
  if (makesNoDomain) return stateful
  const { terminationProtection } = settings
  const stack = new ZonedStack(stateful.node.root, 'CallplaneSearch', { ...props, terminationProtection })
  // Without an order, the one whose template is uploaded first would be deployed first.
  stack.addStackDependency(stateful)
  return stack
}

function searchDomainsOf(
  stack: Stack,
  { existing, search }: Settings,
  network: SearchNetwork | undefined,
): Resources['searchDomains'] {
  return eachOf(searchDomains, (name) => {
    const id = `${constructId(name)}Search`
    const given = existing.searchDomains[name]
    return given === undefined
      ? new SearchDomain(stack, id, { ...search, network }).domain
      : existingDomain(stack, id, given)
  })
}

function searchNetworkOf(stack: Stack, { search }: Settings, buckets: readonly IBucket[]): SearchNetwork | undefined {
  if (search.access !== 'vpc') return undefined
  return new SearchNetwork(stack, 'SearchNetwork', { zones: zonesOf(search.instances), buckets })
}

function addDomain(stack: ApiStack, { domain }: Settings): void {
  if (domain === undefined) return
  const { apiId } = stack.api
  new ApiDomain(stack, 'Domain', { apiId, stage: '$default', after: stack.node.findChild('Stage'), ...domain })
}

/** Takes up a search domain by its address `https://search-<name>-<26 letters, digits>.<region>.es.amazonaws.com`. */
function existingDomain(stack: Stack, id: string, domainEndpoint: string): IDomain {
  const resourceName = /^https:\/\/search-([a-z0-9-]+)-[a-z0-9]{26}\./.exec(domainEndpoint)?.[1] ?? ''
  const domainArn = stack.formatArn({ service: 'es', resource: 'domain', resourceName })
  return Domain.fromDomainAttributes(stack, id, { domainArn, domainEndpoint })
}
