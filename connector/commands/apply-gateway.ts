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

/**
 * Prepares applying a gateway as it is stored: the engine's own is removed, and once it is gone the engine asks for all
 * gateways again. A rescan alone would ignore a gateway that exists. A gateway that is deleted or disabled is in no answer,
 * so it stays away. Throws `ValueRefused`.
 */
export function prepareGateway(command: ApplyGateway, domain: string | null): PreparedGateway {
  const { kill, listedAs } = gatewayLines(command, domain)
  return async (link, timers) => {
    await link.api(kill)
    for (let look = 0; isListed(await link.api('sofia status'), listedAs); look += 1) {
      if (look >= looks) return { state: 'refused', text: '-ERR the engine does not remove the gateway\n' }
      await pause(timers, lookMs)
    }
    const answer = await link.api(rescanLine)
    if (answer.includes('+OK')) return { state: 'done', text: '+OK\n' }
    return { state: 'refused', text: `-ERR the gateways of the engine cannot be read anew\n` }
  }
}

/** Returns whether the list of profiles and gateways still has one. An engine shows a marked gateway by name no longer, but lists it. */
function isListed(list: string, gateway: string): boolean {
  return list.split('\n').some((row) => row.trimStart().startsWith(`${gateway}\t`))
}
