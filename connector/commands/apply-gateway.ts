import type { CommandOutcome, EngineCommand } from '../../core/commands/commands.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { gatewayLines, rescanLine } from './command-line.ts'

/** The command that makes an engine take a gateway over as it is stored. */
export type ApplyGateway = Extract<EngineCommand, { readonly kind: 'apply-gateway' }>

/** An engine removes a gateway at a tick of each second, one that is registered at the third. */
const lookMs = 500
const looks = 12

/** The work at one engine. Rejects as the link does. */
export type PreparedGateway = (link: Pick<EngineLink, 'api'>, timers: Timers) => Promise<CommandOutcome>

type GatewayLines = ReturnType<typeof gatewayLines>

/** Gateways that are applied together at one engine, and how that ended for each. */
interface Round {
  readonly gateways: GatewayLines[]
  readonly outcomes: Promise<ReadonlyMap<GatewayLines, CommandOutcome>>
}

/** The rounds at each link: the last that was made, and the one that has not begun and takes further gateways. */
const lastRounds = new WeakMap<object, Round>()
const openRounds = new WeakMap<object, Round>()

/**
 * Prepares applying a gateway as it is stored: the engine's own is removed, and once it is gone the engine asks for all
 * gateways again. A rescan alone would ignore a gateway that exists. A gateway that is deleted or disabled is in no answer,
 * so it stays away. Two at once could leave the older of two versions at an engine, so what comes while gateways are being
 * applied there is applied together afterwards: many changes of one tenant delay the others by one round. Throws
 * `ValueRefused`.
 */
export function prepareGateway(command: ApplyGateway, domain: string | null): PreparedGateway {
  const gateway = gatewayLines(command, domain)
  return async (link, timers) => {
    const { gateways, outcomes } = openRounds.get(link) ?? beginRound(link, timers)
    gateways.push(gateway)
    return (await outcomes).get(gateway) ?? notRemoved
  }
}

function beginRound(link: Pick<EngineLink, 'api'>, timers: Timers): Round {
  const gateways: GatewayLines[] = []
  const before = Promise.resolve(lastRounds.get(link)?.outcomes).catch(() => {})
  const outcomes = before.then(() => {
    openRounds.delete(link)
    return applyAll(gateways, link, timers)
  })
  const round = { gateways, outcomes }
  openRounds.set(link, round)
  lastRounds.set(link, round)
  return round
}

const notRemoved: CommandOutcome = { state: 'refused', text: '-ERR the engine does not remove the gateway\n' }

async function applyAll(gateways: readonly GatewayLines[], link: Pick<EngineLink, 'api'>, timers: Timers) {
  for (const kill of new Set(gateways.map((gateway) => gateway.kill))) await link.api(kill)
  const left = await leftAfterRemoval(gateways, link, timers)
  const outcomes = new Map(gateways.map((gateway) => [gateway, notRemoved]))
  const gone = gateways.filter((gateway) => !left.includes(gateway))
  if (gone.length === 0) return outcomes
  const answer = await link.api(rescanLine)
  const outcome: CommandOutcome = answer.includes('+OK')
    ? { state: 'done', text: '+OK\n' }
    : { state: 'refused', text: '-ERR the gateways of the engine cannot be read anew\n' }
  for (const gateway of gone) outcomes.set(gateway, outcome)
  return outcomes
}

/** Waits until the engine lists none of these gateways, six seconds at most, and returns those that it still lists. */
async function leftAfterRemoval(gateways: readonly GatewayLines[], link: Pick<EngineLink, 'api'>, timers: Timers) {
  for (let look = 0; ; look += 1) {
    const list = await link.api('sofia status')
    const left = gateways.filter(({ listedAs }) => isListed(list, listedAs))
    if (left.length === 0 || look >= looks) return left
    await pause(timers, lookMs)
  }
}

/** Returns whether the list of profiles and gateways still has one. An engine shows a marked gateway by name no longer, but lists it. */
function isListed(list: string, gateway: string): boolean {
  return list.split('\n').some((row) => row.trimStart().startsWith(`${gateway}\t`))
}
