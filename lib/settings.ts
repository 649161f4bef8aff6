import { environment as names } from '../contracts/environment.ts'
import * as deployment from '../contracts/settings/deployment.ts'
import * as operation from '../contracts/settings/operation.ts'
import * as searchStore from '../contracts/settings/search-store.ts'
import { type EngineVpc, engineVpc } from '../contracts/settings/engine-vpc.ts'
import { type ExistingStores, existingStores } from '../contracts/settings/existing-stores.ts'
import { clientVariables } from '../contracts/settings/client-variables.ts'
import { stage } from '../contracts/settings/connector.ts'
import * as platform from '../contracts/settings/platform.ts'
import { type Setting, readText } from '../contracts/settings/setting.ts'
import {
  checkDomain,
  checkEngineVpc,
  checkNetworks,
  checkRegions,
  checkSearchAccess,
  checkVariables,
  searchSize,
} from './sizes.ts'

/** The values of a stage's settings by name, as its file has them, and its name as `stage`. */
export type GivenSettings = Readonly<Record<string, unknown>>

/** The settings of a deployment, each described in contracts/settings. */
export interface Settings {
  /** The name of the stage, which is part of the names of stacks, alarms and metrics. */
  readonly stage: string
  /** Where the stage is; a part that is absent is that of the credentials. */
  readonly env: { readonly account?: string; readonly region?: string }
  readonly tags: Readonly<Record<string, string>>
  readonly tracing: boolean
  readonly terminationProtection: boolean
  /** The engines' event sockets, as the connector's network sees them: at least one, without duplicates. */
  readonly engines: readonly EngineSocket[]
  /** In CIDR form. */
  readonly engineNetwork: string
  /** The engines' VPC, which the deployment joins; absent: it is joined by hand. */
  readonly engineVpc: EngineVpc | undefined
  /** In CIDR form; must not overlap the engine's, so that the two can be peered. */
  readonly connectorNetwork: string
  readonly zones: number
  readonly connectorEgress: 'endpoints' | 'publicAddress'
  /** The number of connectors. */
  readonly connectorTasks: number
  /** The processor of a connector's task in units of Fargate, 1024 for each. */
  readonly connectorCpu: number
  /** An image of ECR; empty: it is built by the deployment. */
  readonly connectorImage: string
  /** The digest of its base; empty: as the tag is at the time. */
  readonly connectorBaseDigest: string
  /** Whether people may open a shell in a connector. */
  readonly connectorExec: boolean
  /** Empty: the API's own address. */
  readonly publicUrl: string
  /** The API's own domain name and its certificate. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined
  readonly allowedOrigins: readonly string[]
  /** Empty: no mail is sent. */
  readonly alarmEmail: string
  /** All alarms and the dashboard, or only the alarm that takes back a deployment of the connector. */
  readonly monitoring: 'full' | 'deployments'
  /** The text that the functions parse. */
  readonly rateLimits: string
  /** Variables of every process. A setting that is not given is left out, so that the process uses its own default. */
  readonly environment: Readonly<Record<string, string>>
  readonly search: SearchSize
  /** The requests a second that the API takes. */
  readonly requestsPerSecond: number
  /** The concurrency that each function of `/engine/*` has for itself; 0: none. */
  readonly engineConcurrency: number
  /** Whether a function tries the platform every five minutes. */
  readonly canary: boolean
  /** How many functions the account may run at once. */
  readonly concurrencyQuota: number
  /** The region of the replicas of configuration and recordings; empty: there are none. */
  readonly replicaRegion: string
  /** The days for which logs are kept. */
  readonly logDays: number
  readonly existing: ExistingStores
}

/** The size of the store of CDRs. */
export interface SearchSize {
  readonly instanceType: string
  /** One, or a multiple of two or three up to 80. */
  readonly instances: number
  /** GiB of disk of each node. */
  readonly volumeGb: number
  readonly access: 'public' | 'vpc'
}

/** The address of an engine's event socket. */
export interface EngineSocket {
  /** Host name or IPv4 address. */
  readonly host: string
  readonly port: number
}

/** The port of the event socket of an engine that names none. */
const usualPort = 8021

type ContextSetting<T = unknown> = Setting<T> & { readonly context: string }

const ofEveryProcess = [
  platform.tokenSeconds,
  platform.passwordMinLength,
  platform.deletionGraceSeconds,
  platform.scriptSteps,
  platform.emergencyNumbers,
  platform.emergencyGateway,
  platform.contactHosts,
  clientVariables,
  platform.eventsPerSecond,
  platform.recordingsLock,
  platform.cdrDays,
  platform.hookAllowedNetworks,
]

/**
 * Reads the settings of a stage. Throws a sentence that names the first unusable one and the expected form, never its
 * value.
 */
export function readSettings(values: GivenSettings): Settings {
  const settings = eachSetting(values)
  checkNetworks(settings)
  checkEngineVpc(settings)
  checkRegions(settings)
  checkDomain(settings, checkedText(values, deployment.certificateArn))
  checkSearchAccess(settings)
  const texts = [...ofEveryProcess, platform.rateLimits, platform.publicUrl].map(
    (setting) => [setting.context, checkedText(values, setting)] as const,
  )
  checkVariables(Object.fromEntries(texts))
  return settings
}

function eachSetting(values: GivenSettings): Settings {
  const text = (setting: ContextSetting) => checkedText(values, setting)
  const read = <T>(setting: ContextSetting<T>): T => readText(setting.rule(), text(setting), nameOf(setting))
  const given = ofEveryProcess.filter((setting) => (values[setting.context] ?? '') !== '')
  const search = searchSize({
    instanceType: read(searchStore.searchInstanceType),
    instances: read(searchStore.searchInstances),
    volumeGb: read(searchStore.searchVolumeGb),
    access: read(searchStore.searchAccess),
  })
  const [account, region] = [read(deployment.account), read(deployment.region)]
  const [domainName, certificateArn] = [text(deployment.domainName), text(deployment.certificateArn)]
  return {
    stage: text(stage),
    env: { ...(account !== '' && { account }), ...(region !== '' && { region }) },
    tags: read(operation.tags),
    tracing: read(operation.tracing),
    terminationProtection: read(operation.terminationProtection),
    engines: engineSockets(read(deployment.engineHost)),
    engineNetwork: read(deployment.engineNetwork),
    engineVpc: read(engineVpc),
    connectorNetwork: read(deployment.connectorNetwork),
    zones: read(deployment.zones),
    connectorEgress: read(deployment.connectorEgress),
    connectorTasks: read(deployment.connectorTasks),
    connectorCpu: read(deployment.connectorCpu),
    connectorImage: text(deployment.connectorImage),
    connectorBaseDigest: text(deployment.connectorBaseDigest),
    connectorExec: read(deployment.connectorExec),
    domain: domainName === '' ? undefined : { name: domainName, certificateArn },
    publicUrl: text(platform.publicUrl) || (domainName && `https://${domainName}`),
    allowedOrigins: read(deployment.allowedOrigins),
    alarmEmail: read(operation.alarmEmail),
    monitoring: read(operation.monitoring),
    rateLimits: text(platform.rateLimits),
    environment: {
      ...Object.fromEntries([platform.logLevel, ...given].map((setting) => [setting.variable, text(setting)] as const)),
      ...shardsFor(search),
    },
    search,
    requestsPerSecond: read(deployment.requestsPerSecond),
    engineConcurrency: read(deployment.engineConcurrency),
    canary: read(operation.canary),
    concurrencyQuota: read(operation.concurrencyQuota),
    replicaRegion: text(operation.replicaRegion),
    logDays: read(operation.logDays),
    existing: read(existingStores),
  }
}

/**
 * New indices of CDRs get a shard for every second node, so that a month of a large stage is spread over all of them.
 */
function shardsFor({ instances }: SearchSize): Readonly<Record<string, string>> {
  return instances < 4 ? {} : { [names.cdrShards]: String(Math.floor(instances / 2)) }
}

function checkedText(values: GivenSettings, setting: ContextSetting): string {
  const rule = (setting.deployment?.rule ?? setting.rule)()
  const given = values[setting.context]
  const text = given === undefined ? (setting.deployment?.fallback ?? setting.fallback ?? '') : asText(setting, given)
  if (text === undefined) throw new Error(`${nameOf(setting)} must be ${rule.words}`)
  readText(rule, text, nameOf(setting))
  return text
}

const objects: ReadonlySet<string> = new Set([
  clientVariables.context,
  engineVpc.context,
  existingStores.context,
  operation.tags.context,
])

/** A file may hold numbers and objects instead of their texts. */
function asText(setting: ContextSetting, given: unknown): string | undefined {
  if (typeof given === 'string') return given
  if (typeof given === 'number') return String(given)
  return objects.has(setting.context) ? JSON.stringify(given) : undefined
}

const nameOf = ({ context }: ContextSetting): string => `setting ${context}`

function engineSockets(hosts: readonly string[]): EngineSocket[] {
  const engines = hosts.map((text) => {
    const [host = '', port] = text.toLowerCase().split(':')
    return { host, port: port === undefined ? usualPort : Number(port) }
  })
  const names = new Set(engines.map(({ host, port }) => `${host}:${port}`))
  if (names.size < engines.length || engines.some(({ port }) => port > 65_535)) {
    throw new Error(`${nameOf(deployment.engineHost)} must be different engines, with ports up to 65535`)
  }
  return engines
}
