import type { Log } from '../../adapters/log/logger.ts'
import type { CommandMessage } from '../../contracts/messages/command.ts'
import type { CommandStore } from '../../core/commands/command-store.ts'
import type { CommandOutcome, PendingUnregistration } from '../../core/commands/commands.ts'
import { type RetryDeps, retry } from '../../core/concurrency/retry.ts'
import { type Engine, type EngineLink, isReady } from '../runtime/engine.ts'
import {
  type DropCommand,
  ValueRefused,
  dropLines,
  forgetLine,
  gatewayLines,
  gatewayProfile,
  isProfileName,
} from './command-line.ts'
import { type EndAccountDeps, endAccount } from './end-account.ts'
import { gatewayOfEngine } from '../../core/gateways/gateway.ts'

/** An engine that owes drops. */
export type UnregisteringEngine = Pick<Engine, 'name'> & {
  readonly commands: Pick<Engine['commands'], 'api' | 'state'>
}

export interface PendingUnregistrationsDeps extends RetryDeps, EndAccountDeps {
  readonly store: Pick<CommandStore, 'read' | 'addUnregistrations' | 'listUnregistrations' | 'endUnregistration'>
  readonly engines: readonly { readonly engine: UnregisteringEngine }[]
  readonly isObserving?: boolean | undefined
  readonly log: Log
}

/**
 * Drops the registrations of deleted accounts, ends their calls and empties their mailboxes. No command repeats a drop,
 * because the account is gone. So each drop is recorded in the store for every engine before it is tried, and stays
 * until that engine has done it.
 */
export interface PendingUnregistrations {
  /**
   * Records what a message demands of every engine, unless a connector has claimed it, which had recorded it before.
   * Only drops of accounts are recorded. Rejects when the store is gone.
   */
  owe(message: CommandMessage): Promise<void>
  /** Removes the record of a drop that an engine has done. Never rejects. */
  done(drop: PendingUnregistration): Promise<void>
  /**
   * Gives an engine what it owes, until nothing is left or its command link is lost. What fails is tried again with
   * growing waits. Never rejects.
   */
  settle(engine: UnregisteringEngine): Promise<void>
  /** Does the same for every engine. */
  settleAll(): void
}

/** Makes the ledger of one connector. */
export function pendingUnregistrations({
  store,
  engines,
  channels,
  accounts,
  isObserving = false,
  timers,
  random,
  log,
}: PendingUnregistrationsDeps): PendingUnregistrations {
  const settling = new Set<string>()

  const give = async (engine: UnregisteringEngine, owed: PendingUnregistration): Promise<boolean> => {
    const work = async () => {
      const outcome = await prepareDrop({ kind: 'drop-registrations', login: owed.login }, owed.domain)(engine.commands)
      if (!isDropped(outcome)) throw new Error('the engine cannot drop registrations yet')
      await endAccount({ channels, accounts }, engine, owed)
      await store.endUnregistration(owed)
    }
    return (await retry(work, { timers, random }, { mayTry: () => isReady(engine.commands) })) !== undefined
  }

  const settle = async (engine: UnregisteringEngine) => {
    if (isObserving || settling.has(engine.name)) return
    settling.add(engine.name)
    const mayTry = () => isReady(engine.commands)
    let done = 0
    for (let isOver = false; !isOver; ) {
      const read = await retry(() => store.listUnregistrations(engine.name), { timers, random }, { mayTry })
      const drops = read?.value ?? []
      isOver = drops.length === 0
      for (const drop of drops) {
        isOver ||= !(await give(engine, drop))
        if (isOver) break
        done += 1
      }
    }
    settling.delete(engine.name)
    if (done > 0) {
      log.info('registrations that an engine could not drop before are dropped', { engine: engine.name, drops: done })
    }
  }

  return {
    owe: async ({ id, command, createdAt: deletedAt, scope: { domain } }) => {
      if (isObserving || command.kind !== 'drop-registrations' || domain === null || !canBeGiven(command, domain))
        return
      if ((await store.read(id))?.claimedBy !== undefined) return
      await store.addUnregistrations(
        engines.map(({ engine }) => ({ engine: engine.name, domain, login: command.login, deletedAt, command: id })),
      )
    },
    done: (drop) => store.endUnregistration(drop).catch(() => undefined),
    settle,
    settleAll: () => {
      for (const { engine } of engines) void settle(engine)
    },
  }
}

function canBeGiven(command: Parameters<typeof prepareDrop>[0], domain: string): boolean {
  try {
    prepareDrop(command, domain)
    return true
  } catch (problem) {
    if (problem instanceof ValueRefused) return false
    throw problem
  }
}

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
