import type { SecretBox } from '../secrets.ts'
import { type Gateway, type GatewayName, gatewayAtEngine, gatewayPasswordPurpose, gatewayRevision } from './gateway.ts'
import { type ServedGatewaysPorts, servedGateways } from './gateway-store.ts'

/** The ports of {@link serveGateways}. */
export interface ServeGatewaysPorts extends ServedGatewaysPorts {
  readonly secretBox: Pick<SecretBox, 'open'>
  /** Returns whether every address is permitted that an engine finds for the proxy of a gateway. */
  readonly isPermitted: (proxy: string) => Promise<boolean>
}

/** Reports a gateway that is not served: its password cannot be opened, or its proxy's address is not permitted. */
export type ReportUnserved = (gateway: GatewayName, why: 'password' | 'proxy', error?: unknown) => void

/** A gateway as the engine reads it: the name at the engine, and parameters and variables by the engine's names. */
export interface ServedGateway {
  readonly name: string
  readonly domain: string
  /** Shows later whether an engine still has the gateway as it is stored. */
  readonly revision: string
  readonly parameters: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}

/** Seconds until the engine registers again after a failure; it multiplies them by the number of failures. */
const retrySeconds = '30'

/** The purpose of the lookup in which an engine asks for gateways. */
export const gatewaysPurpose = 'gateways'

const atOnce = 20

/**
 * Returns the enabled gateways of all domains that a SIP profile of an engine has, with their passwords. A gateway
 * whose password cannot be decrypted, or whose proxy leads to a forbidden address, is left out and reported, so that
 * the others work. Fields that would be refused today are served so that the gateway works without them.
 */
export async function serveGateways(
  ports: ServeGatewaysPorts,
  profile: string,
  { report, codecs }: { readonly report: ReportUnserved; readonly codecs: readonly string[] },
): Promise<readonly ServedGateway[]> {
  const wanted = await permittedGateways(ports, profile, report)
  const served: (ServedGateway | undefined)[] = []
  for (let start = 0; start < wanted.length; start += atOnce) {
    const batch = wanted.slice(start, start + atOnce)
    served.push(
      ...(await Promise.all(batch.map((gateway) => serveGateway(ports.secretBox, gateway, { report, codecs })))),
    )
  }
  return served.filter((each) => each !== undefined)
}

/** All proxies are looked up together, so that one whose name servers are slow delays no other. */
async function permittedGateways(
  ports: ServeGatewaysPorts,
  profile: string,
  report: ReportUnserved,
): Promise<readonly Gateway[]> {
  const wanted = await servedGateways(ports, profile)
  const permitted = await Promise.all(wanted.map(({ proxy }) => ports.isPermitted(proxy)))
  for (const [index, gateway] of wanted.entries()) if (permitted[index] !== true) report(gateway, 'proxy')
  return wanted.filter((_gateway, index) => permitted[index])
}

/** The engine's words for the encryption of media that it offers. */
const srtpAtEngine = { off: 'forbidden', optional: 'optional', required: 'mandatory' } as const

async function serveGateway(
  secretBox: Pick<SecretBox, 'open'>,
  gateway: Gateway,
  { report, codecs: loaded }: { readonly report: ReportUnserved; readonly codecs: readonly string[] },
): Promise<ServedGateway | undefined> {
  const password = await passwordOf(secretBox, gateway).catch((error: unknown) => {
    report(gateway, 'password', error)
    return null
  })
  if (password === null) return undefined
  const { register, realm, fromDomain, fromUser, proxy, username, transport, expires, srtp } = gateway
  const codecs = gateway.codecs.filter((codec) => loaded.includes(codec))
  return {
    name: gatewayAtEngine(gateway),
    domain: gateway.domain,
    revision: gatewayRevision(gateway),
    parameters: {
      register: String(register),
      realm,
      proxy,
      'from-domain': fromDomain,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      // The engine registers as this user, by default the username. The From header of calls shows the caller of the
      // leg instead.
      ...(fromUser !== undefined && { 'from-user': fromUser }),
      'caller-id-in-from': 'true',
      'register-transport': transport,
      'expire-seconds': String(expires),
      'retry-seconds': retrySeconds,
      // The number that was called is in the To header: the request goes to the gateway's own contact.
      extension: 'auto_to_user',
      context: 'public',
    },
    variables: {
      rtp_secure_media_outbound: srtpAtEngine[srtp],
      ...(codecs.length > 0 && { absolute_codec_string: codecs.join(',') }),
    },
  }
}

async function passwordOf(secretBox: Pick<SecretBox, 'open'>, gateway: Gateway): Promise<string | undefined> {
  const { sealedPassword } = gateway
  if (sealedPassword === undefined) return undefined
  return new TextDecoder().decode(await secretBox.open(sealedPassword, gatewayPasswordPurpose(gateway)))
}
