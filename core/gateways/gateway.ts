/** A protocol in which a gateway is reached. */
export type GatewayTransport = 'udp' | 'tcp' | 'tls'

/** Whether the media of a gateway's calls is encrypted. */
export type GatewaySrtp = 'off' | 'optional' | 'required'

/** A SIP profile of the engine that has gateways. */
export type GatewayProfile = 'external'

/** The settings of a gateway that callers decide, except its name and password. Hosts are in lower case. */
export interface GatewayContent {
  readonly register: boolean
  /** The realm of the credentials, and the host in the addresses of calls. */
  readonly realm: string
  readonly fromDomain: string
  /** The host, and the port if it has its own, that requests are sent to. */
  readonly proxy: string
  readonly username?: string | undefined
  /** The user in the From header. */
  readonly fromUser?: string | undefined
  /** Networks in CIDR notation from which calls of this gateway come, besides its proxy. */
  readonly networks: readonly string[]
  readonly transport: GatewayTransport
  readonly srtp: GatewaySrtp
  /** Seconds that a registration lasts. */
  readonly expires: number
  /** The caller that the called party sees: `account`, `keep`, or `number:<digits>`. */
  readonly callerId: string
  /** How many calls may use the gateway at once; absent: no limit of its own. */
  readonly maxCalls?: number | undefined
  /** In order of preference; empty: those of the engine's profile. */
  readonly codecs: readonly string[]
  readonly enabled: boolean
  readonly profile: GatewayProfile
}

/** A SIP trunk of a domain as it is stored. */
export interface Gateway extends GatewayContent {
  readonly domain: string
  readonly name: string
  readonly sealedPassword?: string | undefined
  /** Since when the gateway has each of its networks, epoch milliseconds. */
  readonly networksSince: Readonly<Record<string, number>>
  readonly confirmedNetworks: readonly string[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly version: number
}

/** Names a gateway of a domain. */
export interface GatewayName {
  readonly domain: string
  readonly name: string
}

/** The form of a gateway's name. */
export const gatewayNamePattern = /^[a-z][a-z0-9_-]{0,63}$/

/** Returns the name that a gateway has at the engine. No domain has `_` in its name, so no two gateways share one. */
export function gatewayAtEngine({ domain, name }: GatewayName): string {
  return `${domain}_${name}`
}

/** Returns the gateway that the engine knows by a name; `undefined` for a name that the platform never gives. */
export function gatewayOfEngine(name: string): GatewayName | undefined {
  const [, domain = '', own = ''] = /^([a-z0-9.-]{1,253})_([a-z][a-z0-9_-]{0,63})$/.exec(name) ?? []
  return domain === '' ? undefined : { domain, name: own }
}

/** Returns the purpose that a gateway's password is sealed for: it opens for no other gateway. */
export function gatewayPasswordPurpose({ domain, name }: GatewayName): string {
  return `gateway-password:${domain}:${name}`
}

/** Rises whenever {@link serveGateways} writes something else for the same gateway, so engines get the new form. */
const servedForm = 2

/**
 * The variable under which an engine keeps the revision of each gateway. The engine answers it when it is asked
 * (`sofia_gateway_data`), and gives it to calls that come from the gateway.
 */
export const revisionVariable = 'svc_gateway_revision'

/** The form of a revision. */
export const revisionPattern = /^\d{1,4}-\d{1,16}-\d{1,16}$/

/**
 * Returns the revision of a gateway that engines have: another one after each write, and after it was deleted and made
 * again. It says nothing about the content.
 */
export function gatewayRevision({ createdAt, version }: Pick<Gateway, 'createdAt' | 'version'>): string {
  return `${servedForm}-${createdAt}-${version}`
}
