import { type App, Stack, type StackProps, Validations } from 'aws-cdk-lib'
import { Domain, type IDomain } from 'aws-cdk-lib/aws-opensearchservice'
import { searchDomains } from '../../contracts/resources.ts'
import { environment } from '../../contracts/environment.ts'
import { type Resources, constructId, eachOf } from '../constructs/resources.ts'
import { SearchDomain } from '../constructs/search-domain.ts'
import { keepLogs } from '../constructs/log-retention.ts'
import { setStage, staged } from '../constructs/stage.ts'
import type { Build } from '../handlers.ts'
import { RulePack } from '../rule-pack.ts'
import type { Settings } from '../settings.ts'
import { ApiStack } from './api-stack.ts'
import { ConnectorStack } from './connector-stack.ts'
import { MonitoringStack } from './monitoring-stack.ts'
import { StatefulStack } from './stateful-stack.ts'
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
    tags: { 'callplane:stage': settings.stage },
  })
  const stateful = new StatefulStack(app, 'CallplaneStateful', {
    ...stackProps('CallplaneStateful', 'what must outlive a deployment'),
    terminationProtection: settings.terminationProtection,
    alarmEmail: settings.alarmEmail,
    watchesQueues: settings.monitoring === 'full',
    allowedOrigins: settings.allowedOrigins,
    existing: settings.existing,
  })
  const searchStack = searchStackOf(stateful, settings, stackProps('CallplaneSearch', 'the store of CDRs'))
  const { tables, queues, secrets, keys, buckets } = stateful
  const resources: Resources = {
    tables,
    queues,
    secrets,
    keys,
    buckets,
    searchDomains: eachOf(searchDomains, (name) => {
      const id = `${constructId(name)}Search`
      const given = settings.existing.searchDomains[name]
      return given === undefined
        ? new SearchDomain(searchStack, id, settings.search).domain
        : existingDomain(searchStack, id, given)
    }),
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
  const workers = new WorkersStack(app, 'CallplaneWorkers', {
    ...stackProps('CallplaneWorkers', 'the functions that queues and schedules call'),
    ...functions,
  })
  const connectorStack = new ConnectorStack(app, 'CallplaneConnector', {
    ...stackProps('CallplaneConnector', 'the link to the engine'),
    settings,
    onCall: stateful.onCall.topic,
    ...functions,
  })
  // Each part is changed before those that send it commands or messages, so it knows new ones before they come.
  connectorStack.addStackDependency(workers)
  apiStack.addStackDependency(connectorStack)
  if (settings.monitoring === 'full') {
    new MonitoringStack(app, 'CallplaneMonitoring', {
      ...stackProps('CallplaneMonitoring', 'alarms and dashboard'),
      api: apiStack.api,
      connector: connectorStack.connector.service,
      connectorTasks: settings.connectorTasks,
      workers,
      queues,
      searchDomains: resources.searchDomains,
      search: settings.search,
      onCall: stateful.onCall.topic,
    })
  }
  Validations.of(app).addPlugins(new RulePack(app))
}

/** Makes the stack of the search domains. Returns the one of the other stores if every domain exists already. */
function searchStackOf(stateful: StatefulStack, settings: Settings, props: StackProps): Stack {
  const makesNoDomain = Object.keys(searchDomains).every((name) => name in settings.existing.searchDomains)
  if (makesNoDomain) return stateful
  const { terminationProtection } = settings
  const stack = new Stack(stateful.node.root, 'CallplaneSearch', { ...props, terminationProtection })
  // Without an order, the one whose template is uploaded first would be deployed first.
  stack.addStackDependency(stateful)
  return stack
}

/** Takes up a search domain by its address `https://search-<name>-<26 letters, digits>.<region>.es.amazonaws.com`. */
function existingDomain(stack: Stack, id: string, domainEndpoint: string): IDomain {
  const resourceName = /^https:\/\/search-([a-z0-9-]+)-[a-z0-9]{26}\./.exec(domainEndpoint)?.[1] ?? ''
  const domainArn = stack.formatArn({ service: 'es', resource: 'domain', resourceName })
  return Domain.fromDomainAttributes(stack, id, { domainArn, domainEndpoint })
}
