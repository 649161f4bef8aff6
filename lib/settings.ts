import type { Node } from 'constructs'
import * as deployment from '../contracts/settings/deployment.ts'
import { clientVariables } from '../contracts/settings/client-variables.ts'
import { recordingsEngineDir } from '../contracts/settings/connector.ts'
import * as platform from '../contracts/settings/platform.ts'
import { type Setting, readText } from '../contracts/settings/setting.ts'

/** The settings of a deployment: context values (`-c name=value`, cdk.json), each described in contracts/settings. */
export interface Settings {
  /** The engines' event sockets, as the connector's network sees them: at least one, without duplicates. */
  readonly engines: readonly EngineSocket[]
  /** In CIDR form. */
  readonly engineNetwork: string
  /** In CIDR form; must not overlap the engine's, so that the two can be peered. */
  readonly connectorNetwork: string
  /** Empty: recordings are not stored. */
  readonly recordingsFolder: string
  /** Empty: the API's own address. */
  readonly publicUrl: string
  readonly allowedOrigins: readonly string[]
  /** Empty: no mail is sent. */
  readonly alarmEmail: string
  /** The text that the functions parse. */
  readonly rateLimits: string
  /** Variables of every process. A setting that is not given is left out, so that the process uses its own default. */
  readonly environment: Readonly<Record<string, string>>
  readonly search: SearchSize
}

/** The size of the store of CDRs. */
export interface SearchSize {
  /** The instance type of its nodes. */
  readonly instanceType: string
  /** One, or an even number up to 80, spread over two zones. */
  readonly instances: number
  /** GiB of disk of each node. */
  readonly volumeGb: number
}

/** The address of an engine's event socket. */
export interface EngineSocket {
  /** Host name or IPv4 address. */
  readonly host: string
  readonly port: number
}

/** A setting that the CDK context holds. */
type ContextSetting<T = unknown> = Setting<T> & { readonly context: string }

/** The settings that every process has in its environment, if they are given. */
const ofEveryProcess = [
  platform.rootName,
  platform.tokenSeconds,
  platform.passwordMinLength,
  platform.deletionGraceSeconds,
  platform.scriptSteps,
  platform.emergencyNumbers,
  platform.emergencyGateway,
  clientVariables,
  platform.eventsPerSecond,
  platform.hookAllowedNetworks,
]

/**
 * Reads the settings from the context. Throws a sentence that names the first unusable one and the expected form, never its
 * value.
 */
export function readSettings(node: Node): Settings {
  const text = (setting: ContextSetting) => checkedText(node, setting)
  const read = <T>(setting: ContextSetting<T>): T => readText(setting.rule(), text(setting), nameOf(setting))
  const given = ofEveryProcess.filter((setting) => (node.tryGetContext(setting.context) ?? '') !== '')
  return {
    engines: engineSockets(read(deployment.engineHost), read(deployment.enginePort)),
    engineNetwork: read(deployment.engineNetwork),
    connectorNetwork: read(deployment.connectorNetwork),
    recordingsFolder: read(recordingsEngineDir),
    publicUrl: text(platform.publicUrl),
    allowedOrigins: read(deployment.allowedOrigins),
    alarmEmail: read(deployment.alarmEmail),
    rateLimits: text(platform.rateLimits),
    environment: Object.fromEntries(
      [platform.logLevel, ...given].map((setting) => [setting.variable, text(setting)] as const),
    ),
    search: {
      instanceType: read(deployment.searchInstanceType),
      instances: read(deployment.searchInstances),
      volumeGb: read(deployment.searchVolumeGb),
    },
  }
}

/** Returns the text of a setting once the rule of a deployment has accepted it. */
function checkedText(node: Node, setting: ContextSetting): string {
  const rule = (setting.deployment?.rule ?? setting.rule)()
  const given: unknown = node.tryGetContext(setting.context)
  const text = given === undefined ? (setting.deployment?.fallback ?? setting.fallback ?? '') : asText(setting, given)
  if (text === undefined) throw new Error(`${nameOf(setting)} must be ${rule.words}`)
  readText(rule, text, nameOf(setting))
  return text
}

/** cdk.json may hold numbers, and the object of the client variables itself instead of its text. */
function asText(setting: ContextSetting, given: unknown): string | undefined {
  if (typeof given === 'string') return given
  if (typeof given === 'number') return String(given)
  return setting.context === clientVariables.context ? JSON.stringify(given) : undefined
}

const nameOf = ({ context }: ContextSetting): string => `context value ${context}`

function engineSockets(hosts: readonly string[], usualPort: number): EngineSocket[] {
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
