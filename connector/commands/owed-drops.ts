import type { Log } from '../../adapters/log/logger.ts'
import type { CommandMessage } from '../../contracts/messages/command.ts'
import type { CommandStore } from '../../core/commands/command-store.ts'
import type { OwedDrop } from '../../core/commands/commands.ts'
import { type RetryDeps, retry } from '../../core/concurrency/retry.ts'
import { type Engine, isReady } from '../runtime/engine.ts'
import { ValueRefused } from './command-line.ts'
import { isDropped, prepareDrop } from './drop-registrations.ts'
import { type EndAccountDeps, endAccount } from './end-account.ts'

/** An engine that owes drops. */
export type OwingEngine = Pick<Engine, 'name'> & { readonly commands: Pick<Engine['commands'], 'api' | 'state'> }

export interface OwedDropsDeps extends RetryDeps, EndAccountDeps {
  readonly store: Pick<CommandStore, 'read' | 'oweDrops' | 'listDrops' | 'endDrop'>
  readonly engines: readonly { readonly engine: OwingEngine }[]
  readonly isObserving?: boolean | undefined
  readonly log: Log
}

/**
 * Drops the registrations of deleted accounts, ends their calls and empties their mailboxes. No command repeats a drop,
 * because the account is gone. So each drop is recorded in the store for every engine before it is tried, and stays
 * until that engine has done it.
 */
export interface OwedDrops {
  /**
   * Records what a message demands of every engine, unless a connector has claimed it, which had recorded it before.
   * Only drops of accounts are recorded. Rejects when the store is gone.
   */
  owe(message: CommandMessage): Promise<void>
  /** Removes the record of a drop that an engine has done. Never rejects. */
  done(drop: OwedDrop): Promise<void>
  /**
   * Gives an engine what it owes, until nothing is left or its command link is lost. What fails is tried again with
   * growing waits. Never rejects.
   */
  settle(engine: OwingEngine): Promise<void>
  /** Does the same for every engine. */
  settleAll(): void
}

/** Makes the ledger of one connector. */
export function owedDrops({
  store,
  engines,
  channels,
  accounts,
  isObserving = false,
  timers,
  random,
  log,
}: OwedDropsDeps): OwedDrops {
  const settling = new Set<string>()

  const give = async (engine: OwingEngine, owed: OwedDrop): Promise<boolean> => {
    const work = async () => {
      const outcome = await prepareDrop({ kind: 'drop-registrations', login: owed.login }, owed.domain)(engine.commands)
      if (!isDropped(outcome)) throw new Error('the engine cannot drop registrations yet')
      await endAccount({ channels, accounts }, engine, owed)
      await store.endDrop(owed)
    }
    return (await retry(work, { timers, random }, { mayTry: () => isReady(engine.commands) })) !== undefined
  }

  const settle = async (engine: OwingEngine) => {
    if (isObserving || settling.has(engine.name)) return
    settling.add(engine.name)
    const mayTry = () => isReady(engine.commands)
    let done = 0
    for (let isOver = false; !isOver; ) {
      const read = await retry(() => store.listDrops(engine.name), { timers, random }, { mayTry })
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
      await store.oweDrops(
        engines.map(({ engine }) => ({ engine: engine.name, domain, login: command.login, deletedAt, command: id })),
      )
    },
    done: (drop) => store.endDrop(drop).catch(() => undefined),
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
