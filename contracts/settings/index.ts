import { clientVariables } from './client-variables.ts'
import * as connector from './connector.ts'
import * as deployment from './deployment.ts'
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
  platform.publicUrl,
  deployment.allowedOrigins,
  deployment.alarmEmail,
  deployment.monitoring,
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
  deployment.logDays,
  platform.eventsPerSecond,
  platform.hookAllowedNetworks,
  deployment.searchInstanceType,
  deployment.searchInstances,
  deployment.searchVolumeGb,
  deployment.requestsPerSecond,
  deployment.engineConcurrency,
  deployment.tracing,
  existingStores,
  deployment.terminationProtection,
]
