import type { CommandOutcome } from '../../core/commands/commands.ts'
import { gatewayOfEngine } from '../../core/gateways/gateway.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { type DropCommand, dropLines, forgetLine, gatewayLines, gatewayProfile, isProfileName } from './command-line.ts'

/** The head of the list of SIP profiles (`api/idle`). */
const listHead = /^ *Name\t +Type\t/

/** A profile's row; aliases and gateways have rows of other types, and a profile with TLS has two of this type. */
const profileRow = /^ *(\S+)\tprofile\t/gm

const gatewayRow = /^ *(\S+)::(\S+)\tgateway\t/gm

/** The answer of an engine that does not list its SIP profiles, for example while it starts. */
const noProfiles: CommandOutcome = { state: 'refused', text: '-ERR the SIP profiles cannot be read\n' }

/** A drop that was looked over: every value of it can stand in a line. */
export type PreparedDrop = (link: Pick<EngineLink, 'api'>) => Promise<CommandOutcome>

/**
 * Prepares dropping registrations. At each engine the cached directory records are removed first, so that no phone
 * registers again by them. Then the registrations are dropped at every SIP profile that runs there; a drop of a domain
 * also removes its gateways. If a profile's name cannot be part of a line, the others are
 * dropped nevertheless, and the reply is `-ERR`. Throws `ValueRefused`; the drop rejects as the link does.
 */
export function prepareDrop(command: DropCommand, domain: string | null): PreparedDrop {
  const forget = forgetLine(command, domain)
  dropLines(command, domain, 'any')
  return async (link) => {
    await link.api(forget)
    const list = await link.api('sofia status')
    if (!listHead.test(list)) return noProfiles
    const profiles = [...new Set([...list.matchAll(profileRow)].map(([, name = '']) => name))]
    const named = profiles.filter(isProfileName)
    for (const line of named.flatMap((profile) => dropLines(command, domain, profile))) await link.api(line)
    if (command.kind === 'drop-domain-registrations') await killGateways(link, list, domain)
    const left = profiles.length - named.length
    if (left > 0) return { state: 'refused', text: `-ERR ${left} profiles left\n` }
    return { state: 'done', text: `+OK ${named.length}\n` }
  }
}

async function killGateways(link: Pick<EngineLink, 'api'>, list: string, domain: string | null): Promise<void> {
  for (const [, profile = '', gateway = ''] of list.matchAll(gatewayRow)) {
    const named = gatewayOfEngine(gateway)
    if (named === undefined || named.domain !== domain || profile !== gatewayProfile) continue
    await link.api(gatewayLines(named, domain).kill)
  }
}

/** Returns whether an engine has done all of a drop that it can do: its profiles are listed, none is left to try. */
export function isDropped(outcome: CommandOutcome): boolean {
  return outcome.state === 'done' || (outcome.state === 'refused' && outcome !== noProfiles)
}
