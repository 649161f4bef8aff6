import { clientVariables } from './client-variables.ts'
import * as connector from './connector.ts'
import * as deployment from './deployment.ts'
import * as operation from './operation.ts'
import * as searchStore from './search-store.ts'
import { engineVpc } from './engine-vpc.ts'
import { existingStores } from './existing-stores.ts'
import * as laptop from './laptop.ts'
import * as platform from './platform.ts'
import type { Setting, Variable } from './setting.ts'

/** The settings of `npm start`, in the order of its tables. */
export const laptopSettings: readonly Variable[] = [
  laptop.apiPort,
  laptop.host,
  connector.engineUrl,
  connector.enginePassword,
  connector.engineMode,
  connector.engineTenants,
  laptop.recordingsDir,
  laptop.simulatedEnginePort,
  laptop.dataDir,
  laptop.rootPassword,
  laptop.engineCredential,
  deployment.allowedOrigins,
  platform.hookAllowedNetworks,
  platform.rateLimits,
  platform.recordingsLock,
  platform.cdrDays,
  platform.eventsPerSecond,
  platform.deletionGraceSeconds,
  platform.emergencyNumbers,
  platform.emergencyGateway,
  platform.contactHosts,
  clientVariables,
  laptop.dynamodbEndpoint,
  laptop.sqsEndpoint,
  laptop.s3Endpoint,
  laptop.openSearchUrl,
  platform.logLevel,
]

/** The settings of a deployment, in the order of the runbook. */
export const deploymentSettings: readonly (Setting & { readonly context: string })[] = [
  connector.stage,
  deployment.account,
  deployment.region,
  deployment.engineHost,
  deployment.engineNetwork,
  engineVpc,
  deployment.connectorNetwork,
  deployment.zones,
  deployment.connectorEgress,
  deployment.connectorTasks,
  deployment.connectorCpu,
  deployment.connectorImage,
  deployment.connectorBaseDigest,
  deployment.domainName,
  deployment.certificateArn,
  deployment.connectorExec,
  platform.publicUrl,
  deployment.allowedOrigins,
  operation.alarmEmail,
  operation.monitoring,
  operation.canary,
  platform.logLevel,
  platform.tokenSeconds,
  platform.passwordMinLength,
  platform.deletionGraceSeconds,
  platform.scriptSteps,
  platform.emergencyNumbers,
  platform.emergencyGateway,
  platform.contactHosts,
  clientVariables,
  platform.rateLimits,
  platform.recordingsLock,
  platform.cdrDays,
  operation.logDays,
  platform.eventsPerSecond,
  platform.hookAllowedNetworks,
  searchStore.searchInstanceType,
  searchStore.searchInstances,
  searchStore.searchVolumeGb,
  searchStore.searchAccess,
  deployment.requestsPerSecond,
  deployment.engineConcurrency,
  operation.concurrencyQuota,
  operation.tracing,
  operation.tags,
  operation.replicaRegion,
  existingStores,
  operation.terminationProtection,
]
