import type { SecretBox } from '../secrets.ts'
import { gatewayRevision } from './gateway-revision.ts'
import { type ServedGatewaysPorts, servedGateways } from './served-gateways.ts'
import { type Gateway, type GatewayName, gatewayAtEngine, gatewayPasswordPurpose } from './gateway.ts'

/** The ports of {@link serveGateways}. */
export interface ServeGatewaysPorts extends ServedGatewaysPorts {
  readonly secretBox: Pick<SecretBox, 'open'>
}

/** Reports a gateway whose password cannot be opened, and why. */
export type ReportSealed = (gateway: GatewayName, error: unknown) => void

/** A gateway as the engine reads it: the name at the engine, and parameters and variables by the engine's names. */
export interface ServedGateway {
  readonly name: string
  readonly domain: string
  /** Shows later whether an engine still has the gateway as it is stored. */
  readonly revision: string
  readonly parameters: Readonly<Record<string, string>>
  /** Variables of the legs that are called through it. */
  readonly variables: Readonly<Record<string, string>>
}

/** Seconds until the engine registers again after a failure; it multiplies them by the number of failures. */
const retrySeconds = '30'

/** The purpose of the lookup in which an engine asks for gateways. */
export const gatewaysPurpose = 'gateways'

/** Passwords that are opened at once. */
const atOnce = 20

/**
 * Returns the enabled gateways of all domains that a SIP profile of an engine has, with their passwords. A gateway
 * whose password cannot be decrypted is left out and reported, so that the others work.
 */
export async function serveGateways(
  ports: ServeGatewaysPorts,
  profile: string,
  reportSealed: ReportSealed,
): Promise<readonly ServedGateway[]> {
  const wanted = await servedGateways(ports, profile)
  const served: (ServedGateway | undefined)[] = []
  for (let start = 0; start < wanted.length; start += atOnce) {
    const batch = wanted.slice(start, start + atOnce)
    served.push(...(await Promise.all(batch.map((gateway) => serveGateway(ports.secretBox, gateway, reportSealed)))))
  }
  return served.filter((each) => each !== undefined)
}

async function serveGateway(
  secretBox: Pick<SecretBox, 'open'>,
  gateway: Gateway,
  reportSealed: ReportSealed,
): Promise<ServedGateway | undefined> {
  const password = await passwordOf(secretBox, gateway).catch((error: unknown) => {
    reportSealed(gateway, error)
    return null
  })
  if (password === null) return undefined
  const { register, realm, fromDomain, proxy, username, transport, expires, codecs } = gateway
  const shownNumber = /^number:(.+)$/.exec(gateway.callerId)?.[1]
  const fromUser = shownNumber ?? gateway.fromUser
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
      ...(fromUser !== undefined && { 'from-user': fromUser }),
      // Without a user of its own, the From header shows the number of the caller.
      'caller-id-in-from': String(fromUser === undefined),
      'register-transport': transport,
      'expire-seconds': String(expires),
      'retry-seconds': retrySeconds,
      // The number that was called is in the To header: the request goes to the gateway's own contact.
      extension: 'auto_to_user',
      context: 'public',
    },
    variables: codecs.length === 0 ? {} : { absolute_codec_string: codecs.join(',') },
  }
}

async function passwordOf(secretBox: Pick<SecretBox, 'open'>, gateway: Gateway): Promise<string | undefined> {
  const { sealedPassword } = gateway
  if (sealedPassword === undefined) return undefined
  return new TextDecoder().decode(await secretBox.open(sealedPassword, gatewayPasswordPurpose(gateway)))
}
