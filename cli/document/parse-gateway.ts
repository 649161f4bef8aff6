import type { GatewayRecord } from './model.ts'
import { requireReference } from './parse-secret.ts'
import type { Place } from './yaml-place.ts'

const names = [
  'realm',
  'from_domain',
  'proxy',
  'register',
  'username',
  'from_user',
  'password',
  'networks',
  'transport',
  'srtp',
  'expires',
  'caller_id',
  'max_calls',
  'codecs',
  'enabled',
  'profile',
] as const

/** The values of a gateway that does not say otherwise. */
export const usualGateway = {
  transport: 'udp',
  srtp: 'off',
  expires: 600,
  caller_id: 'account',
  profile: 'external',
} as const

/** Reads a gateway, with the platform's defaults for what is left out. */
export function readGateway(place: Place): GatewayRecord {
  const given = place.members(names)
  if (given.realm === undefined && given.proxy === undefined) throw place.error('must have a realm or a proxy')
  const proxy = given.proxy?.text()
  const realm = given.realm?.text() ?? proxy?.split(':')[0] ?? ''
  const password = given.password?.text()
  if (given.password !== undefined && password !== undefined) requireReference(given.password, password)
  return {
    realm: realm.toLowerCase(),
    from_domain: (given.from_domain?.text() ?? realm).toLowerCase(),
    proxy: (proxy ?? realm).toLowerCase(),
    register: given.register?.flag() ?? true,
    ...textIn('username', given.username),
    ...textIn('from_user', given.from_user),
    ...(password === undefined || password === '' ? {} : { password }),
    networks: textsIn(given.networks),
    transport: given.transport?.text() ?? usualGateway.transport,
    srtp: given.srtp?.text() ?? usualGateway.srtp,
    expires: given.expires?.wholeNumber() ?? usualGateway.expires,
    caller_id: given.caller_id?.text() ?? usualGateway.caller_id,
    ...(given.max_calls === undefined || given.max_calls.isNull ? {} : { max_calls: given.max_calls.wholeNumber() }),
    codecs: textsIn(given.codecs),
    enabled: given.enabled?.flag() ?? true,
    profile: given.profile?.text() ?? usualGateway.profile,
  }
}

function textIn<N extends string>(name: N, place: Place | undefined): { readonly [K in N]?: string } {
  const text = place?.text() ?? ''
  return text === '' ? {} : ({ [name]: text } as { readonly [K in N]: string })
}

/** Returns each text of a list once, as the platform keeps it. */
function textsIn(place: Place | undefined): readonly string[] {
  return [...new Set(place?.items().map((item) => item.text()))]
}
