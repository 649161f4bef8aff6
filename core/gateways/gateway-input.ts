import { trustedCallerIds, trustsCallerIds } from '../client-names/domain-parameters.ts'
import type { Domain } from '../domains/domain.ts'
import { DomainError, type FieldProblem } from '../errors.ts'
import { type AddressGuard, hostProblem, refusedPorts } from '../requests/target-url.ts'
import type { Gateway, GatewayContent } from './gateway.ts'

/** A gateway as a caller writes it; types and patterns have been checked, rules between fields have not. */
export interface GatewayInput {
  readonly realm?: string | undefined
  readonly from_domain?: string | undefined
  readonly proxy?: string | undefined
  readonly register?: boolean | undefined
  readonly username?: string | undefined
  readonly from_user?: string | undefined
  readonly password?: string | undefined
  readonly networks?: readonly string[] | undefined
  readonly transport?: GatewayContent['transport'] | undefined
  readonly srtp?: GatewayContent['srtp'] | undefined
  readonly expires?: number | undefined
  readonly caller_id?: string | undefined
  readonly max_calls?: number | undefined
  readonly codecs?: GatewayContent['codecs'] | undefined
  readonly enabled?: boolean | undefined
  readonly profile?: GatewayContent['profile'] | undefined
  readonly confirmed_networks?: readonly string[] | undefined
}

/** A change of a gateway: fields that are left out stay, and `null` takes a field away. */
export type GatewayPatch = { readonly [F in keyof GatewayInput]?: GatewayInput[F] | null }

/** The rules that a gateway is checked against. */
export interface GatewayJudges {
  readonly guard: AddressGuard
  readonly networkProblem: (cidr: string) => string | undefined
  /** The codecs that engines load. */
  readonly codecs: readonly string[]
}

/** The facts that decide about a gateway besides its own fields. */
export interface GatewayOwner {
  readonly domain: Pick<Domain, 'parameters'>
  /** Whether the engines accept TLS from gateways; `undefined` while that is not known. */
  readonly hasTls: boolean | undefined
}

/** Seconds that a registration lasts unless the gateway says otherwise. */
const defaultExpires = 600

/**
 * Reads a gateway, with defaults for fields that are left out. `hasPassword` says whether one is stored or given.
 * Throws `invalid_field` with all problems, and `missing_field` when only fields are missing.
 */
export function readGatewayInput(
  input: GatewayInput,
  hasPassword: boolean,
  judges: GatewayJudges,
  owner: GatewayOwner,
): GatewayContent {
  const { realm, proxy } = input
  const host = (realm ?? splitHost(proxy ?? '').host).toLowerCase()
  const content: GatewayContent = {
    register: input.register ?? true,
    realm: host,
    fromDomain: (input.from_domain ?? host).toLowerCase(),
    proxy: (proxy ?? host).toLowerCase(),
    ...(input.username !== undefined && { username: input.username }),
    ...(input.from_user !== undefined && { fromUser: input.from_user }),
    networks: [...new Set(input.networks)],
    transport: input.transport ?? 'udp',
    srtp: input.srtp ?? 'off',
    expires: input.expires ?? defaultExpires,
    callerId: input.caller_id ?? 'account',
    ...(input.max_calls !== undefined && { maxCalls: input.max_calls }),
    codecs: [...new Set(input.codecs)],
    enabled: input.enabled ?? true,
    profile: input.profile ?? 'external',
  }
  refuse('missing_field', missing(content, hasPassword))
  refuse('invalid_field', problemsOf(content, judges, owner))
  return content
}

function missing({ realm, register, username, networks }: GatewayContent, hasPassword: boolean): FieldProblem[] {
  const absent = (field: string, problem: string) => ({ field, problem })
  return [
    ...(realm === '' ? [absent('realm', 'must be given, unless proxy is')] : []),
    ...(register && username === undefined ? [absent('username', 'must be given with register: true')] : []),
    ...(register && !hasPassword ? [absent('password', 'must be given with register: true')] : []),
    ...(register || networks.length > 0
      ? []
      : [absent('networks', 'must name a network with register: false, since calls are recognized by it')]),
  ]
}

/** Returns the fields of a stored gateway that would be refused today. */
export function ignoredFields(gateway: Gateway, judges: GatewayJudges, owner: GatewayOwner): string[] {
  return [...new Set(problemsOf(gateway, judges, owner).map(({ field }) => field.replace(/\[.*/, '')))]
}

function problemsOf(content: GatewayContent, judges: GatewayJudges, owner: GatewayOwner): FieldProblem[] {
  const { realm, fromDomain, proxy, networks, codecs } = content
  const { host, port } = splitHost(proxy)
  const problems: readonly (readonly [string, string | undefined])[] = [
    ['realm', addressProblem(realm, judges.guard)],
    ['from_domain', addressProblem(fromDomain, judges.guard)],
    ['proxy', addressProblem(host, judges.guard) ?? portProblem(port)],
    ...networks.map((cidr, index) => [`networks[${index}]`, judges.networkProblem(cidr)] as const),
    ...codecs.map((codec, index) => [`codecs[${index}]`, codecProblem(codec, judges)] as const),
    ...encryptionProblems(content, owner),
    ['caller_id', callerIdProblem(content, owner)],
  ]
  return problems.flatMap(([field, problem]) => (problem === undefined ? [] : [{ field, problem }]))
}

function codecProblem(codec: string, { codecs }: GatewayJudges): string | undefined {
  return codecs.includes(codec) ? undefined : `must be one of ${codecs.join(', ')}, which the engines have`
}

function encryptionProblems(
  { transport, srtp }: GatewayContent,
  { hasTls }: GatewayOwner,
): (readonly [string, string | undefined])[] {
  const isTls = transport === 'tls'
  return [
    ['transport', isTls && hasTls === false ? 'must be udp or tcp: the engines have no TLS for gateways' : undefined],
    ['srtp', isTls || srtp === 'off' ? undefined : 'must be off, unless transport is tls: its keys would be readable'],
  ]
}

function callerIdProblem({ callerId }: GatewayContent, { domain }: GatewayOwner): string | undefined {
  if (callerId !== 'keep' || trustsCallerIds(domain)) return undefined
  return `must be account or number:<digits>: keep shows what phones send, which root allows by the domain's parameter ${trustedCallerIds}`
}

/** Judges a host as URLs are parsed: an engine, too, reads `127.1` and `0x7f000001` as addresses. */
function addressProblem(host: string, guard: AddressGuard): string | undefined {
  const url = `http://${host}/`
  return URL.canParse(url) ? hostProblem(new URL(url).hostname, guard) : 'must be a host name or an IPv4 address'
}

function portProblem(port: string): string | undefined {
  if (port === '') return undefined
  const isPort = Number(port) >= 1 && Number(port) <= 65_535
  return isPort && !refusedPorts.has(`${Number(port)}`) ? undefined : `must not have the port ${port}`
}

function splitHost(proxy: string): { readonly host: string; readonly port: string } {
  const [host = '', port = ''] = proxy.split(':')
  return { host, port }
}

function refuse(code: 'missing_field' | 'invalid_field', details: readonly FieldProblem[]): void {
  const [first] = details
  if (first !== undefined) throw new DomainError(code, `${first.field}: ${first.problem}`, { details: [...details] })
}
