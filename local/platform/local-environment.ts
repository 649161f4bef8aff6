import { type Container, type Credential, type Environment, type LambdaFunction, laptop } from '@callplane/laptop'
import { type EngineAddress, engineName } from '../../connector/runtime/engine.ts'
import type { ObservingSetting } from '../../connector/settings.ts'
import { environment } from '../../contracts/environment.ts'
import * as connector from '../../contracts/settings/connector.ts'
import * as platform from '../../contracts/settings/platform.ts'
import { searchDomains } from '../../contracts/resources.ts'
import type { Settings } from '../settings/settings.ts'

/** Returns the environment of every process of the platform, in addition to that of the assembly. */
export function sharedEnvironment(settings: Settings, storesUrl: string, credential: Credential): Environment {
  return {
    AWS_REGION: laptop.region,
    AWS_DEFAULT_REGION: laptop.region,
    AWS_ACCESS_KEY_ID: credential.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credential.secretAccessKey,
    AWS_SESSION_TOKEN: credential.sessionToken,
    [environment.dynamodbEndpoint]: storesUrl,
    [environment.sqsEndpoint]: storesUrl,
    [environment.secretsEndpoint]: storesUrl,
    [environment.kmsEndpoint]: storesUrl,
    [environment.s3Endpoint]: storesUrl,
    [searchDomains.cdr.variable]: storesUrl,
    [environment.clientVariables]: settings.clientVariables,
    [platform.logLevel.variable]: settings.logLevel,
    [platform.recordingsLock.variable]: settings.recordingsLock,
  }
}

/** Returns the environment of a function, as Lambda would set it up. */
export function functionEnvironment(definition: LambdaFunction, settings: Settings, shared: Environment): Environment {
  return {
    ...definition.environment,
    ...shared,
    [platform.hookAllowedNetworks.variable]: settings.hookAllowedNetworks,
    [platform.rateLimits.variable]: settings.rateLimits,
    [platform.eventsPerSecond.variable]: settings.eventsPerSecond,
    [platform.cdrDays.variable]: settings.cdrDays,
    [platform.deletionGraceSeconds.variable]: settings.deletionGraceSeconds,
    [platform.emergencyNumbers.variable]: settings.emergencyNumbers,
    [platform.emergencyGateway.variable]: settings.emergencyGateway,
    [platform.contactHosts.variable]: settings.contactHosts,
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${definition.name}`,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    LAMBDA_TASK_ROOT: definition.directory,
    _HANDLER: definition.handler,
    TZ: ':UTC',
  }
}

/**
 * Returns the environment of the connector's container. `engines` are the event sockets that it shall use.
 */
export function connectorEnvironment(
  container: Container,
  shared: Environment,
  {
    engines,
    observing,
    healthPort,
  }: {
    readonly engines: readonly EngineAddress[]
    readonly observing?: ObservingSetting | undefined
    readonly healthPort: number
  },
): Environment {
  const urls = engines.map((engine) => `esl://:${encodeURIComponent(engine.password)}@${engineName(engine)}`)
  return {
    ...container.environment,
    ...shared,
    NODE_ENV: 'production',
    [connector.engineUrl.variable]: urls.join(','),
    [environment.healthPort]: String(healthPort),
    ...(observing === undefined
      ? {}
      : {
          [connector.engineMode.variable]: 'observe',
          [connector.engineTenants.variable]: [...observing.tenants].map((pair) => pair.join('=')).join(','),
        }),
  }
}
