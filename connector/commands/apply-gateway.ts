import type { CommandOutcome, EngineCommand } from '../../core/commands/commands.ts'
import { type RetryDeps, retry } from '../../core/concurrency/retry.ts'
import { pause } from '../../core/concurrency/timers.ts'
import { type GatewayName, gatewayOfEngine } from '../../core/gateways/gateway.ts'
import {
  type GatewayLines,
  type GatewayLink,
  type WantedGateways,
  type WrongGateways,
  alignGateways,
  listedGateways,
  revisionsAt,
} from './align-gateways.ts'
import { ValueRefused, gatewayLines } from './command-line.ts'

/** The command that makes an engine take a gateway over as it is stored. */
export type ApplyGateway = Extract<EngineCommand, { readonly kind: 'apply-gateway' }>

/** The work at one engine. Rejects as the link does, and when a store stays away. */
export type PreparedGateway = (link: GatewayLink) => Promise<CommandOutcome>

/** Brings the gateways of engines in line with those that are stored. */
export interface GatewayAligner {
  /** Prepares applying one gateway. Throws `ValueRefused`. */
  prepare(command: ApplyGateway, domain: string | null): PreparedGateway
  /**
   * Compares all gateways of an engine with those that are stored: removes those that have changed or are gone, and
   * makes the engine ask for those that it lacks. A gateway without a revision that the platform does not have is the
   * operator's own and stays. Returns how many are not as they should be. Rejects as the link and the stores do.
   */
  applyAll(link: GatewayLink): Promise<number>
}

export interface GatewayAlignerDeps extends RetryDeps {
  readonly wanted: WantedGateways
}

/** How often a store is asked for a gateway that has changed, within four seconds or so. */
const readAttempts = 5

/**
 * If work does not end as wanted, all gateways are compared again for half an hour: a removed one must not stay away. A
 * revision still missing after this many comparisons waits for the hourly one, because each comparison makes engines
 * ask for all gateways.
 */
const repairs = { attempts: 9, backoff: { firstMs: 5_000, longestMs: 600_000 } }

interface Failure {
  readonly revision: string | undefined
  readonly times: number
}

type Failures = ReadonlyMap<string, Failure>

interface Change {
  readonly name: GatewayName
  readonly lines: GatewayLines
}

interface Round {
  readonly changes: Change[]
  readonly wrong: Promise<WrongGateways>
}

const done: CommandOutcome = { state: 'done', text: '+OK\n' }
const refused: CommandOutcome = {
  state: 'refused',
  text: '-ERR the engine does not have the gateway as it is stored\n',
}

/**
 * Makes the aligner of one connector. At each engine one piece of work follows the other: changes that come while
 * gateways are being applied are applied together afterwards, so many changes of one tenant delay the others by one
 * round.
 */
export function gatewayAligner({ wanted, timers, random }: GatewayAlignerDeps): GatewayAligner {
  const last = new WeakMap<object, Promise<unknown>>()
  const open = new WeakMap<object, Round>()
  const repaired = new WeakSet<object>()
  const failures = new WeakMap<object, Failures>()

  const inTurn = <T>(link: GatewayLink, work: () => Promise<T>): Promise<T> => {
    const turn = Promise.resolve(last.get(link))
      .catch(() => {})
      .then(work)
    last.set(link, turn)
    return turn
  }

  const applyAll = (link: GatewayLink) =>
    inTurn(link, async () => {
      const gateways = await ownGateways(link, await wanted.all())
      return alignGateways(gateways, { link, timers, wanted: () => wanted.all() })
    })

  const isLeft = (link: GatewayLink, wrong: WrongGateways, of: 'some' | 'all'): boolean => {
    const before = failures.get(link) ?? new Map()
    const after = failuresOf(wrong, before)
    failures.set(link, new Map([...(of === 'some' ? before : []), ...after]))
    return [...after.values()].some(({ times }) => times < repairs.attempts)
  }

  const repair = async (link: GatewayLink) => {
    if (repaired.has(link)) return
    repaired.add(link)
    await pause(timers, repairs.backoff.firstMs)
    const again = async () => {
      if (isLeft(link, await applyAll(link), 'all'))
        throw new Error('an engine does not have all gateways as they are stored')
    }
    await retry(again, { timers, random }, repairs).catch(() => {})
    repaired.delete(link)
  }

  const repairing = (link: GatewayLink, work: Promise<WrongGateways>, of: 'some' | 'all'): Promise<WrongGateways> => {
    const left = work.then(
      (wrong) => isLeft(link, wrong, of),
      () => true,
    )
    void left.then((isDue) => (isDue ? repair(link) : undefined))
    return work
  }

  const beginRound = (link: GatewayLink): Round => {
    const changes: Change[] = []
    const wrong = inTurn(link, async () => {
      open.delete(link)
      const names = changes.map(({ name }) => name)
      const read = () => retry(() => wanted.of(names), { timers, random }, { attempts: readAttempts })
      const lines = changes.map((change) => change.lines)
      return alignGateways(lines, { link, timers, wanted: async () => (await read()).value })
    })
    const round = { changes, wrong: repairing(link, wrong, 'some') }
    open.set(link, round)
    return round
  }

  return {
    prepare: (command, domain) => {
      const lines = gatewayLines(command, domain)
      const name = { domain: domain ?? '', name: command.name }
      return async (link) => {
        const { changes, wrong } = open.get(link) ?? beginRound(link)
        changes.push({ name, lines })
        return (await wrong).has(lines) ? refused : done
      }
    },
    applyAll: async (link) => (await repairing(link, applyAll(link), 'all')).size,
  }
}

function failuresOf(wrong: WrongGateways, before: Failures): Failures {
  const counted = [...wrong].map(([{ gateway }, revision]): [string, Failure] => {
    const known = before.get(gateway)
    return [gateway, { revision, times: known?.revision === revision ? (known?.times ?? 0) + 1 : 1 }]
  })
  return new Map(counted)
}

async function ownGateways(link: GatewayLink, stored: ReadonlyMap<string, string>): Promise<readonly GatewayLines[]> {
  const others = [...(await listedGateways(link))].filter((gateway) => !stored.has(gateway)).flatMap(linesOf)
  const revisions = await revisionsAt(link, others)
  const once = others.filter(({ gateway }) => (revisions.get(gateway) ?? '') !== '')
  return [...[...stored.keys()].flatMap(linesOf), ...once]
}

function linesOf(gateway: string): readonly GatewayLines[] {
  const named = gatewayOfEngine(gateway)
  if (named === undefined) return []
  try {
    return [gatewayLines(named, named.domain)]
  } catch (problem) {
    if (problem instanceof ValueRefused) return []
    throw problem
  }
}
