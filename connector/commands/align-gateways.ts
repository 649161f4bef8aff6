import { type Timers, pause } from '../../core/concurrency/timers.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { type GatewayName, gatewayAtEngine, gatewayRevision, revisionPattern } from '../../core/gateways/gateway.ts'
import { type gatewayLines, gatewayProfile, rescanLine } from './command-line.ts'
import type { Ports } from '../../contracts/ports.ts'
import { isServed, servedGateways } from '../../core/gateways/gateway-store.ts'

/** An engine removes a gateway at a tick of each second, one that is registered at the third. */
const lookMs = 500
const looks = 12

/** A change may come while gateways are brought in line. One more round follows then, at most four in all. */
const maxRounds = 4

/** The gateway and its lines. */
export type GatewayLines = ReturnType<typeof gatewayLines>

/** The part of a link that is needed. */
export type GatewayLink = Pick<EngineLink, 'api'>

/** A gateway's row in the list of profiles and gateways. One that is being removed is listed, but not found by name. */
const row = new RegExp(`^ *${gatewayProfile}::(\\S+)\tgateway\t`, 'gm')

/** Reads the names of the gateways that an engine lists, those being removed included. */
export async function listedGateways(link: GatewayLink): Promise<ReadonlySet<string>> {
  const list = await link.api('sofia status')
  return new Set([...list.matchAll(row)].map(([, name = '']) => name))
}

/** Reads which of these gateways an engine has, and their revisions: empty where it has none, or is removing it. */
export async function revisionsAt(link: GatewayLink, gateways: readonly GatewayLines[]): Promise<Revisions> {
  const listed = await listedGateways(link)
  const found = new Map<string, string>()
  for (const { gateway, revision } of gateways) {
    if (!listed.has(gateway)) continue
    const answer = (await link.api(revision)).trim()
    found.set(gateway, revisionPattern.test(answer) ? answer : '')
  }
  return found
}

/** Gateways that an engine has wrong, with their wanted revision; `undefined` if the gateway must be gone. */
export type WrongGateways = ReadonlyMap<GatewayLines, string | undefined>

/** The inputs of {@link alignGateways}. */
export interface AlignDeps {
  readonly link: GatewayLink
  readonly timers: Timers
  readonly wanted: () => Promise<Revisions>
}

/**
 * Brings the gateways of an engine in line with the wanted ones. Outdated gateways are removed first. Once they are
 * gone, the engine asks for all gateways again, since a rescan alone ignores a gateway that exists. The result is
 * checked afterwards, and the work repeated if a gateway has changed meanwhile or another connector's rescan has
 * restored an older one. Returns the gateways that are not as wanted in the end, with the revision that they should
 * have, if any: those that the engine did not release within six seconds, or did not accept. Rejects if the link or
 * `wanted` rejects.
 */
export async function alignGateways(
  gateways: readonly GatewayLines[],
  { link, timers, wanted }: AlignDeps,
): Promise<WrongGateways> {
  const stuck = new Set<GatewayLines>()
  const asked = new Map<string, string>()
  for (let round = 1; ; round += 1) {
    const target = await wanted()
    const has = await revisionsAt(link, gateways)
    const wrong = gateways.filter(({ gateway }) => has.get(gateway) !== target.get(gateway))
    const isRefused = ({ gateway }: GatewayLines) => !has.has(gateway) && asked.get(gateway) === target.get(gateway)
    const due = wrong.filter((one) => !stuck.has(one) && !isRefused(one))
    const end = new Map(wrong.map((one) => [one, target.get(one.gateway)]))
    if (due.length === 0 || round === maxRounds) return end
    const present = due.filter(({ gateway }) => has.has(gateway))
    for (const kill of new Set(present.map((one) => one.kill))) await link.api(kill)
    for (const one of await leftAfterRemoval(present, target, { link, timers })) stuck.add(one)
    const missing = due.filter((one) => target.has(one.gateway) && !stuck.has(one))
    if (missing.length === 0) continue
    if (!(await link.api(rescanLine)).includes('+OK')) return end
    for (const { gateway } of missing) asked.set(gateway, target.get(gateway) ?? '')
  }
}

/** Waits until the engine has these gateways only in the wanted revision; returns those that it kept too long. */
async function leftAfterRemoval(
  gateways: readonly GatewayLines[],
  target: Revisions,
  { link, timers }: Pick<AlignDeps, 'link' | 'timers'>,
): Promise<readonly GatewayLines[]> {
  for (let look = 0; ; look += 1) {
    const has = await revisionsAt(link, gateways)
    const left = gateways.filter(({ gateway }) => has.has(gateway) && has.get(gateway) !== target.get(gateway))
    if (left.length === 0 || look >= looks) return left
    await pause(timers, lookMs)
  }
}

/** Revisions by the names of gateways at engines. */
export type Revisions = ReadonlyMap<string, string>

/** The gateways that engines are to have, as they are stored now. Rejects when a store is gone. */
export interface WantedGateways {
  /** Returns the revisions of these gateways; one that engines are not to have is missing. */
  of(gateways: readonly GatewayName[]): Promise<Revisions>
  all(): Promise<Revisions>
}

/** Reads them as they are served: enabled, of a domain whose deletion has not begun. */
export function wantedGateways({
  gateways,
  domains,
}: {
  readonly gateways: Pick<Ports['gateways'], 'read' | 'listAll'>
  readonly domains: Pick<Ports['domains'], 'read' | 'list'>
}): WantedGateways {
  const one = async ({ domain, name }: GatewayName): Promise<[string, string][]> => {
    const [gateway, owner] = await Promise.all([gateways.read(domain, name), domains.read(domain)])
    if (gateway === undefined || owner === undefined || !isServed(gateway, gatewayProfile)) return []
    return [[gatewayAtEngine(gateway), gatewayRevision(gateway)]]
  }
  return {
    of: async (names) => new Map((await Promise.all(names.map(one))).flat()),
    all: async () => {
      const served = await servedGateways({ gateways, domains }, gatewayProfile)
      return new Map(served.map((gateway) => [gatewayAtEngine(gateway), gatewayRevision(gateway)]))
    },
  }
}
