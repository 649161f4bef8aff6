import type { Node } from 'constructs'

/** What an engineer decides about a deployment. Each is a context value of the same name (`-c name=value`, cdk.json). */
export interface Settings {
  /** Host name or address of the engine's event socket, as the connector's network sees it. */
  readonly engineHost: string
  /** TCP port of the engine's event socket. */
  readonly enginePort: number
  /** Network in CIDR form that the engine is in: the only one that the connector may open the engine's port to. */
  readonly engineNetwork: string
  /** Network in CIDR form for the connector; must not overlap the engine's, so that the two can be peered. */
  readonly connectorNetwork: string
  /** Public base address of the service; empty: the API's own address. */
  readonly publicUrl: string
  /** Origins whose pages may call the API from a browser; none by default. */
  readonly allowedOrigins: readonly string[]
  /** Who is mailed when an alarm goes off; empty: nobody, only the topic is told. */
  readonly alarmEmail: string
  /** `trace`, `debug`, `info`, `warn` or `error`. */
  readonly logLevel: string
  /** Name of the root user; empty: the functions' default. */
  readonly rootName: string
  /** Life of a login's token in seconds; empty: the functions' default. */
  readonly tokenSeconds: string
  /** Least length of a password; empty: the functions' default. */
  readonly passwordMinLength: string
  /** Networks in CIDR form, comma-separated, that hooks may reach besides public addresses. */
  readonly hookAllowedNetworks: string
}

const network = /^(\d{1,3}\.){3}\d{1,3}\/\d{1,2}$/

/** Reads the settings from the context. Throws a plain sentence that names the first value that cannot be used. */
export function readSettings(node: Node): Settings {
  const read = (name: keyof Settings, fallback: string, pattern: RegExp, rule: string): string => {
    const given: unknown = node.tryGetContext(name)
    const value = given === undefined ? fallback : typeof given === 'number' ? String(given) : given
    if (typeof value === 'string' && pattern.test(value)) return value
    throw new Error(`context value ${name} must be ${rule}, got ${JSON.stringify(value)}`)
  }
  const origins = read('allowedOrigins', '', /^$|^(https?:\/\/[^\s,/*]+)(\s*,\s*https?:\/\/[^\s,/*]+)*$/, listOfOrigins)
  return {
    engineHost: read(
      'engineHost',
      'engine.callplane.internal',
      /^[A-Za-z0-9.-]{1,253}$/,
      'a host name or IPv4 address',
    ),
    enginePort: Number(read('enginePort', '8021', /^[1-9]\d{0,4}$/, 'a port number')),
    engineNetwork: read('engineNetwork', '10.0.0.0/16', network, 'a network such as 10.0.0.0/16'),
    connectorNetwork: read('connectorNetwork', '10.90.0.0/24', network, 'a network such as 10.90.0.0/24'),
    publicUrl: read('publicUrl', '', /^$|^https:\/\/[^\s/]+$/, 'an address such as https://api.example.com'),
    allowedOrigins: origins === '' ? [] : origins.split(/\s*,\s*/),
    alarmEmail: read('alarmEmail', '', /^$|^[^\s@]+@[^\s@]+$/, 'an email address'),
    logLevel: read('logLevel', 'info', /^(trace|debug|info|warn|error)$/, 'trace, debug, info, warn or error'),
    rootName: read('rootName', '', /^[A-Za-z0-9._-]{0,64}$/, 'up to 64 letters, digits, dots, hyphens or underscores'),
    tokenSeconds: read('tokenSeconds', '', /^\d{0,7}$/, 'a number of seconds from 300 to 8640000'),
    passwordMinLength: read('passwordMinLength', '', /^\d{0,3}$/, 'a number from 1 to 128'),
    hookAllowedNetworks: read('hookAllowedNetworks', '', /^[0-9a-fA-F.:/,\s]*$/, 'networks in CIDR form'),
  }
}

const listOfOrigins = 'origins such as https://console.example.com, comma-separated'
